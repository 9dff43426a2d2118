/** The goals, each as a question to the cells. Their source is the performance page of the project. */
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

const bestOf = (
  cells: Cells,
  row: string,
  runtime: string,
  kind: "floor" | "peer",
  value: string,
  better: "lower" | "higher",
): { readonly title: string; readonly value: number } | undefined => {
  const all = entries
    .filter((entry) => entry.kind === kind)
    .flatMap((entry) => {
      const cell = cells(row, runtime, entry.id)
      return cell === undefined ? [] : [{ title: entry.title, value: cell.of(value) }]
    })
  return all.sort((a, b) => (better === "lower" ? a.value - b.value : b.value - a.value))[0]
}

const rate = (x: number): string => `${x.toFixed(2)} ×`

/** Sluice against the floor of the same run: `limit` times it. */
const againstFloor = (
  row: string,
  value: string,
  better: "lower" | "higher",
  limits: Readonly<Record<string, number>>,
  tool = "sluice",
  floor: "best" | "plain" = "plain",
) =>
(cells: Cells): ReadonlyArray<Verdict> =>
  Object.entries(limits).map(([runtime, limit]) => {
    const cell = cells(row, runtime, tool)
    const base = floor === "best"
      ? bestOf(cells, row, runtime, "floor", value, better)?.value
      : cells(row, runtime, "raw")?.of(value)
    if (cell === undefined || base === undefined) return unknown(runtime)
    const ratio = cell.of(value) / base
    const missing = better === "lower" ? above(ratio, limit) : below(ratio, limit)
    return {
      runtime,
      measured: `${rate(ratio)} the floor (${better === "lower" ? "≤" : "≥"} ${limit})`,
      missing,
    }
  })

/** Sluice against the fastest peer. */
const againstPeers =
  (row: string, value: string, better: "lower" | "higher") => (cells: Cells): ReadonlyArray<Verdict> =>
    denoAndBun.map((runtime) => {
      const cell = cells(row, runtime, "sluice")
      const peer = bestOf(cells, row, runtime, "peer", value, better)
      if (cell === undefined || peer === undefined) return unknown(runtime)
      const mine = cell.of(value)
      const missing = better === "lower" ? above(mine, peer.value) : below(mine, peer.value)
      return {
        runtime,
        measured: `${rate(mine / peer.value)} ${peer.title}`,
        missing,
      }
    })

/** A figure with a fixed limit, the worst of all rounds. */
const atMost = (
  row: string,
  value: string,
  unit: string,
  limit: number,
  tools: ReadonlyArray<string>,
  runtimes: ReadonlyArray<string>,
) =>
(cells: Cells): ReadonlyArray<Verdict> =>
  runtimes.map((runtime) => {
    const found = tools.flatMap((tool) => cells(row, runtime, tool) ?? [])
    if (found.length < tools.length) return unknown(runtime)
    const worst = Math.max(...found.map((cell) => cell.worst(value)))
    return {
      runtime,
      measured: `${worst.toFixed(unit === "KB" ? 1 : 0)} ${unit} (≤ ${limit})`,
      missing: above(worst, limit),
    }
  })

const middleAtMost =
  (row: string, value: string, unit: string, limit: number, tool: string) => (cells: Cells): ReadonlyArray<Verdict> =>
    denoAndBun.map((runtime) => {
      const cell = cells(row, runtime, tool)
      if (cell === undefined) return unknown(runtime)
      return {
        runtime,
        measured: `${cell.of(value).toFixed(0)} ${unit} (≤ ${limit})`,
        missing: above(cell.of(value), limit),
      }
    })

/** Milliseconds above the empty script. */
export const importCost = (cells: Cells, runtime: string, tool: string): number | undefined => {
  const empty = cells("import", runtime, "empty")
  const cell = cells("import", runtime, tool)
  return empty === undefined || cell === undefined ? undefined : cell.of("ms") - empty.of("ms")
}

const importAgainst = (tool: string, limit: number, mine: string) => (cells: Cells): ReadonlyArray<Verdict> =>
  denoAndBun.map((runtime) => {
    const [cost, other] = [importCost(cells, runtime, mine), importCost(cells, runtime, tool)]
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

/** All goals, in the order of the performance page. */
export const goals: ReadonlyArray<Goal> = [
  {
    text: "Spawn: ≤ 1.3 × floor on Deno, ≤ 1.15 × on Bun",
    verdicts: againstFloor("spawn", "ms", "lower", { deno: 1.3, bun: 1.15 }),
  },
  {
    text: "Spawn: ahead of every peer",
    verdicts: againstPeers("spawn", "ms", "lower"),
  },
  {
    text: "16 at once: ≥ 0.9 × floor on Deno, ≥ 0.95 × on Bun",
    verdicts: againstFloor("concurrent", "perSecond", "higher", {
      deno: 0.9,
      bun: 0.95,
    }),
  },
  {
    text: "Bytes: ≥ 0.9 × the best raw technique of the runtime",
    verdicts: againstFloor("bytes", "mbPerSecond", "higher", { deno: 0.9, bun: 0.9 }, "sluice", "best"),
  },
  {
    text: "Lines through chunker and events: ≥ 0.8 × floor",
    verdicts: againstFloor("lines", "millionsPerSecond", "higher", {
      deno: 0.8,
      bun: 0.8,
    }),
  },
  {
    text: "Lines through `lineCount(50)`: ≥ 0.5 × floor",
    verdicts: againstFloor(
      "lines",
      "millionsPerSecond",
      "higher",
      {
        deno: 0.5,
        bun: 0.5,
      },
      "sluice:lineCount",
    ),
  },
  {
    text: "64 MiB into a string: no slower than the floor",
    verdicts: againstFloor("text", "ms", "lower", { deno: 1, bun: 1 }),
  },
  {
    text: "64 MiB into a string: no slower than the fastest peer",
    verdicts: againstPeers("text", "ms", "lower"),
  },
  {
    text: "Memory, fast consumer: within 150 MB of the start",
    verdicts: atMost("memory", "grownMb", "MB", 150, ["sluice", "sluice:lineCount"], everywhere),
  },
  {
    text: "Memory, slow consumer: within 150 MB of the start",
    verdicts: atMost("memorySlow", "grownMb", "MB", 150, ["sluice", "sluice:lineCount"], everywhere),
  },
  {
    text: "Import of `mod.ts`: ≤ 1.2 × `effect` with Stream and Schema",
    verdicts: importAgainst("effect-stream-schema", 1.2, "sluice"),
  },
  {
    text: "Import of `mod.ts`: better than zx",
    verdicts: importAgainst("zx", 1, "sluice"),
  },
  {
    text: "Import of the compiled package: ≤ 1.2 × `effect` with Stream and Schema",
    verdicts: importAgainst("effect-stream-schema", 1.2, "sluice:compiled"),
  },
  {
    text: "CLI, bundled: ≤ 60 ms to its first byte",
    verdicts: middleAtMost("cli", "ms", "ms", 60, "cli"),
  },
  {
    text: "Bundle through Effect: ≤ 36 KB, Effect included",
    verdicts: atMost("bundle", "kb", "KB", 36, ["sluice"], ["all"]),
  },
  {
    text: "Bundle through `./run`: ≤ 36 KB, Effect included",
    verdicts: atMost("bundle", "kb", "KB", 36, ["sluice-run"], ["all"]),
  },
  {
    text: "Timeout on a tree: within 50 ms of the deadline",
    verdicts: atMost("timeoutTree", "lateMs", "ms", 50, ["sluice"], everywhere),
  },
  {
    text: "Timeout on a tree that ignores SIGTERM: within 50 ms of deadline and grace",
    verdicts: atMost("timeoutTerm", "lateMs", "ms", 50, ["sluice"], everywhere),
  },
  { text: "After both: the whole tree is dead", verdicts: treeDead },
  {
    text: "Normal exit, the pipe still held: ≤ 150 ms",
    verdicts: atMost("drain", "ms", "ms", 150, ["sluice"], everywhere),
  },
]
