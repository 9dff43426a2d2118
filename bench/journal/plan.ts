/** The rows of the journal's bench. */
import { line, type Table } from "../tables.ts"

/** One measurement: what `measure.ts` is called with. */
export interface Case {
  readonly row: string
  readonly store: string
  readonly level: "memory" | "os" | "disk"
}

const of = (row: string, store: string, level: Case["level"]): Case => ({
  row,
  store,
  level,
})

const levels = {
  ndjson: ["memory", "os", "disk"],
  sqlite: ["os", "disk"],
  postgres: ["memory", "disk"],
} as const

const appends = Object.entries(levels).flatMap(([store, all]) =>
  all.map((level) => {
    const floor = of(
      "floor",
      store,
      store === "ndjson" && level === "memory" ? "os" : level,
    )
    return {
      title: `${store}, ${level}`,
      of: of("append", store, level),
      to: floor,
    }
  })
)

const floors = Object.entries(levels).flatMap(([store, all]) =>
  all
    .filter((level) => !(store === "ndjson" && level === "memory"))
    .map((
      level,
    ) => (line(`floor: ${store}, ${level}`, of("floor", store, level))))
)

/** All tables, in the order of the report. */
export const tables: ReadonlyArray<Table<Case>> = [
  {
    id: "append",
    title: "Batches of 256 entries of about 85 bytes",
    about:
      "Through the whole service: checks, canonical form, hash chain, indexes. The floor is the bare driver: one table, " +
      "no index, no hash. Entries a second, higher is better; beside it the ratio to the floor of the same level.",
    value: "perSecond",
    unit: "/s",
    digits: 0,
    lines: [
      ...floors,
      line("memory", of("append", "memory", "memory")),
      ...appends,
    ],
  },
  {
    id: "together",
    title: "64 fibers, one entry at a time, on the disk's word",
    about: "Group commit: those who append at the same time share an fsync. Entries a second, higher is better.",
    value: "perSecond",
    unit: "/s",
    digits: 0,
    lines: ["ndjson", "sqlite", "postgres"].map((store) => ({
      title: store,
      of: of("together", store, "disk"),
    })),
  },
  {
    id: "latency",
    title: "From the append to a tail",
    about:
      "One entry each 3 to 7 ms at level `os`. Milliseconds from before the append until the tail has it, p50 and p99; " +
      "lower is better.",
    value: "p50",
    unit: "ms",
    digits: 2,
    lines: (["local", "other"] as const).flatMap((row) =>
      ["memory", "ndjson", "sqlite", "postgres"]
        .filter((store) => row === "local" || (store !== "memory" && store !== "postgres"))
        .flatMap((store) =>
          ["p50", "p99"].map((value) => ({
            title: `${store}, ${row === "local" ? "same process" : "another process"}, ${value}`,
            of: of(row, store, store === "memory" ? "memory" : "os"),
            value,
          }))
        )
    ),
  },
  {
    id: "large",
    title: "A SQLite journal of 10 million entries",
    about:
      "Opened in a fresh process until its head is known; then the 100 entries of one command read. Milliseconds, " +
      "lower is better.",
    value: "openMs",
    unit: "ms",
    digits: 1,
    lines: [
      line("open", of("openLarge", "sqlite", "os"), undefined, "openMs"),
      line("one command", of("openLarge", "sqlite", "os"), undefined, "readMs"),
    ],
  },
]
