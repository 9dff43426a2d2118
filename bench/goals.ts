/** The goals, each as a question to the cells. Their source is the performance page of the project. */
import { valueOf } from "./values.ts"
import { type Plan, plans } from "./plan.ts"
import type { Cells } from "./samples.ts"
import { entries } from "./tools/index.ts"

/** How one goal stands on one runtime. */
export interface Verdict {
  readonly runtime: string
  /** What was measured, in words. */
  readonly measured: string
  /** How much is missing, in per cent of the goal; 0 or less: met. `undefined`: it was not measured. */
  readonly missing: number | undefined
}

/** One goal. */
export interface Goal {
  readonly text: string
  readonly verdicts: (cells: Cells) => ReadonlyArray<Verdict>
}

const denoAndBun = ["deno", "bun"] as const
const everywhere = ["deno", "bun", "node"] as const
const unknown = (runtime: string): Verdict => ({
  runtime,
  measured: "not measured",
  missing: undefined,
})

/** Lower is better: how far above the limit, in per cent of it. */
const above = (value: number, limit: number): number => (value / limit - 1) * 100
/** Higher is better: how far below the limit. */
const below = (value: number, limit: number): number => (1 - value / limit) * 100

const planOf = (row: string): Plan => {
  const plan = plans.find(({ id }) => id === row)
  if (plan === undefined) throw new Error(`no such row: ${row}`)
  return plan
}

const missingOf = ({ better }: Plan, value: number, limit: number): number =>
  better === "lower" ? above(value, limit) : below(value, limit)

const sign = ({ better }: Plan): string => (better === "lower" ? "≤" : "≥")

const bestOf = (
  cells: Cells,
  plan: Plan,
  runtime: string,
  kind: "floor" | "peer",
  except = "",
): { readonly title: string; readonly value: number } | undefined =>
  entries
    .filter((entry) => entry.kind === kind && entry.id !== except)
    .flatMap((entry) => {
      const value = valueOf(cells, plan, runtime, entry.id)
      return value === undefined ? [] : [{ title: entry.title, value }]
    })
    .sort((
      a,
      b,
    ) => (plan.better === "lower" ? a.value - b.value : b.value - a.value))[0]

const rate = (x: number): string => `${x.toFixed(2)} ×`

/** To the floor of the same run, in the row's direction: `limit` times it. */
const againstFloor = (
  row: string,
  limit: number,
  tool = "sluice",
  floor: "best" | "plain" = "plain",
) =>
(cells: Cells): ReadonlyArray<Verdict> =>
  denoAndBun.map((runtime) => {
    const plan = planOf(row)
    const value = valueOf(cells, plan, runtime, tool)
    const base = floor === "best" ? bestOf(cells, plan, runtime, "floor")?.value : valueOf(cells, plan, runtime, "raw")
    if (value === undefined || base === undefined) return unknown(runtime)
    const ratio = value / base
    return {
      runtime,
      measured: `${rate(ratio)} (${sign(plan)} ${limit})`,
      missing: missingOf(plan, ratio, limit),
    }
  })

/** Against the fastest peer, or the fastest but one that is named. */
const againstPeers = (row: string, except = "") => (cells: Cells): ReadonlyArray<Verdict> =>
  denoAndBun.map((runtime) => {
    const plan = planOf(row)
    const value = valueOf(cells, plan, runtime, "sluice")
    const peer = bestOf(cells, plan, runtime, "peer", except)
    if (value === undefined || peer === undefined) return unknown(runtime)
    const measured = `${rate(value / peer.value)} ${peer.title}`
    return { runtime, measured, missing: missingOf(plan, value, peer.value) }
  })

/** The median of a figure against a fixed limit. */
const limited = (
  row: string,
  limit: number,
  tool = "sluice",
  runtimes: ReadonlyArray<string> = denoAndBun,
) =>
(cells: Cells): ReadonlyArray<Verdict> =>
  runtimes.map((runtime) => {
    const plan = planOf(row)
    const value = valueOf(cells, plan, runtime, tool)
    if (value === undefined) return unknown(runtime)
    const measured = `${value.toFixed(plan.digits)} ${plan.unit} (${sign(plan)} ${limit})`
    return { runtime, measured, missing: missingOf(plan, value, limit) }
  })

/** A figure with a fixed limit, the worst of all rounds. */
const atMost = (
  row: string,
  limit: number,
  tools: ReadonlyArray<string>,
  runtimes: ReadonlyArray<string>,
) =>
(cells: Cells): ReadonlyArray<Verdict> =>
  runtimes.map((runtime) => {
    const { digits, unit, value } = planOf(row)
    const found = tools.flatMap((tool) => cells(row, runtime, tool) ?? [])
    if (found.length < tools.length) return unknown(runtime)
    const worst = Math.max(...found.map((cell) => cell.worst(value)))
    return {
      runtime,
      measured: `${worst.toFixed(digits)} ${unit} (≤ ${limit})`,
      missing: above(worst, limit),
    }
  })

/** Above the empty script. */
const importCost = (
  cells: Cells,
  runtime: string,
  tool: string,
): number | undefined => valueOf(cells, planOf("import"), runtime, tool)

const importAgainst = (tool: string, limit: number, mine: string) => (cells: Cells): ReadonlyArray<Verdict> =>
  denoAndBun.map((runtime) => {
    const [cost, other] = [
      importCost(cells, runtime, mine),
      importCost(cells, runtime, tool),
    ]
    if (cost === undefined || other === undefined) return unknown(runtime)
    const measured = `${cost.toFixed(0)} ms against ${other.toFixed(0)} ms: ${rate(cost / other)}`
    return { runtime, measured, missing: above(cost / other, limit) }
  })

const treeDead = (cells: Cells): ReadonlyArray<Verdict> =>
  everywhere.map((runtime) => {
    const found = ["timeoutTree", "timeoutTerm"].flatMap((row) => cells(row, runtime, "sluice") ?? [])
    if (found.length < 2) return unknown(runtime)
    const alive = Math.max(...found.map((cell) => cell.worst("survivors")))
    return {
      runtime,
      measured: `${alive} alive`,
      missing: alive === 0 ? 0 : 100,
    }
  })

const listingBlocks = (cells: Cells): ReadonlyArray<Verdict> =>
  denoAndBun.map((runtime) => {
    const waited = cells("listing", runtime, "sluice")?.of("healthMs")
    return waited === undefined ? unknown(runtime) : {
      runtime,
      measured: `${waited.toFixed(0)} ms (≤ 50)`,
      missing: above(waited, 50),
    }
  })

/** All goals. */
export const goals: ReadonlyArray<Goal> = [
  {
    text: "Spawn, cold: ≤ 1.15 × the floor",
    verdicts: againstFloor("spawnCold", 1.15),
  },
  {
    text: "Spawn, warm: ≤ 1.15 × the floor",
    verdicts: againstFloor("spawn", 1.15),
  },
  {
    text: "Spawn, cold: ahead of every peer but Bun.$",
    verdicts: againstPeers("spawnCold", "bun-shell"),
  },
  {
    text: "Spawn, warm: ahead of every peer but Bun.$",
    verdicts: againstPeers("spawn", "bun-shell"),
  },
  {
    text: "16 at once: ≥ 0.9 × the floor",
    verdicts: againstFloor("concurrent", 0.9),
  },
  {
    text: "Bytes: ≥ 0.9 × the best raw technique of the runtime",
    verdicts: againstFloor("bytes", 0.9, "sluice", "best"),
  },
  {
    text: "Lines through chunker and events: ≥ 0.8 × the floor",
    verdicts: againstFloor("lines", 0.8),
  },
  {
    text: "Lines through `lineCount(50)`: ≥ 0.5 × the floor",
    verdicts: againstFloor("lines", 0.5, "sluice:lineCount"),
  },
  {
    text: "`./run`, bytes as a Web stream: ≥ 0.7 × the floor",
    verdicts: againstFloor("bytes", 0.7, "sluice:run"),
  },
  {
    text: "`./run`, line by line: ≥ 5 million lines a second",
    verdicts: limited("lines", 5, "sluice:run"),
  },
  {
    text: "64 MiB into a string: no slower than the floor",
    verdicts: againstFloor("text", 1),
  },
  {
    text: "64 MiB into a string: no slower than the fastest peer",
    verdicts: againstPeers("text"),
  },
  {
    text: "Memory, fast consumer: within 150 MB of the start",
    verdicts: atMost("memory", 150, ["sluice", "sluice:lineCount"], everywhere),
  },
  {
    text: "Memory, slow consumer: within 150 MB of the start",
    verdicts: atMost(
      "memorySlow",
      150,
      ["sluice", "sluice:lineCount"],
      everywhere,
    ),
  },
  {
    text: "Memory of a waiting command: ≤ 20 KB",
    verdicts: limited("waiting", 20),
  },
  {
    text: "Import of `mod.ts`: ≤ 1.1 × `effect` with Stream and Schema",
    verdicts: importAgainst("effect-stream-schema", 1.1, "sluice"),
  },
  {
    text: "Import of the npm package: ≤ 1.1 × `effect` with Stream and Schema",
    verdicts: importAgainst("effect-stream-schema", 1.1, "sluice:package"),
  },
  {
    text: "Import of `./run` of the npm package: ≤ 45 ms above an empty script",
    verdicts: limited("import", 45, "sluice-run:package"),
  },
  {
    text: "Bundle through Effect: ≤ 40 KB, Effect included",
    verdicts: limited("bundle", 40, "sluice", ["all"]),
  },
  {
    text: "Bundle through `./run`: ≤ 40 KB, Effect included",
    verdicts: limited("bundle", 40, "sluice-run", ["all"]),
  },
  {
    text: "`sluice run -- true`: ≤ 60 ms above an empty script",
    verdicts: limited("cli", 60),
  },
  {
    text: "Idle server: ≤ 1.3 × the memory of a bare one",
    verdicts: againstFloor("serverMemory", 1.3),
  },
  {
    text: "`POST /exec` of `true`: ≥ 0.75 × the floor",
    verdicts: againstFloor("post", 0.75),
  },
  {
    text: "`POST /exec`, p99 at 100 clients: ≤ 1.5 × the floor",
    verdicts: againstFloor("postLatency", 1.5),
  },
  {
    text: "Lines through the remote leaf: ≥ 0.6 × the local leaf",
    verdicts: againstFloor("remoteLines", 0.6),
  },
  {
    text: "`true`, journaled: ≤ 1.15 × without",
    verdicts: againstFloor("journaledSpawn", 1.15),
  },
  {
    text: "10 million lines, journaled: ≥ 0.45 × without",
    verdicts: againstFloor("journaledLines", 0.45),
  },
  {
    text: "Verification: ≥ 400,000 entries a second",
    verdicts: limited("verify", 400),
  },
  {
    text: "Running commands among 100,000: ≤ 5 ms",
    verdicts: limited("listing", 5),
  },
  {
    text: "Running commands among 100,000: no other request waits longer than 50 ms",
    verdicts: listingBlocks,
  },
  {
    text: "Timeout on a tree: within 50 ms of the deadline",
    verdicts: atMost("timeoutTree", 50, ["sluice"], everywhere),
  },
  {
    text: "Timeout on a tree that ignores SIGTERM: within 50 ms of deadline and grace",
    verdicts: atMost("timeoutTerm", 50, ["sluice"], everywhere),
  },
  { text: "After both: the whole tree is dead", verdicts: treeDead },
  {
    text: "Normal exit, the pipe still held: ≤ 150 ms",
    verdicts: atMost("drain", 150, ["sluice"], everywhere),
  },
]
