/** The tables, in Markdown. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Circumstances } from "./circumstances.ts"
import type { Change } from "./compare.ts"
import { casesOf, ratioOf, valueOf } from "./values.ts"
import { goals } from "./goals.ts"
import { type Plan, plans } from "./plan.ts"
import { type Cell, type Cells, cellsOf, type Sample } from "./samples.ts"

const names: Readonly<Record<string, string>> = {
  deno: "Deno",
  bun: "Bun",
  node: "Node",
  all: "size",
}

/** What is not more than this is noise on a machine that is shared with nothing else. */
const noise = 25

/** Processes of the tree that outlived it. */
const alive = (cell: Cell): string => {
  const survivors = cell.worst("survivors")
  return Number.isNaN(survivors) || !Number.isFinite(survivors) ? "" : `, ${survivors} alive`
}

const figure = (
  plan: Plan,
  cells: Cells,
  runtime: string,
  tool: string,
): string => {
  const cell = cells(plan.id, runtime, tool)
  if (cell === undefined) return "–"
  if (cell.worst("hung") === 1) return `hangs (> 3 s)${alive(cell)}`
  const value = valueOf(cells, plan, runtime, tool) ?? Number.NaN
  const text = value.toFixed(plan.digits)
  if (plan.value === "grownMb") {
    return cell.worst("cut") === 1 ? `> 1,500, cut after ${cell.of("seenMb").toFixed(0)} MB` : `+${text}`
  }
  if (plan.by === "bundles") {
    return `${text} (${cell.of("allKb").toFixed(1)})`
  }
  const parts = [
    plan.value === "lateMs" ? `${value < 0 ? "" : "+"}${text}${alive(cell)}` : text,
  ]
  const ratio = ratioOf(cells, plan, runtime, tool)
  if (ratio !== undefined) parts.push(`${ratio.toFixed(2)} ×`)
  if (cell.rounds > 1 && plan.rounds === "many") {
    parts.push(`± ${cell.spread(plan.value).toFixed(0)} %`)
  }
  return parts.join(" · ")
}

const table = (
  plan: Plan,
  cells: Cells,
  runtimes: ReadonlyArray<string>,
): ReadonlyArray<string> => {
  const columns = plan.by === "bundles" ? ["all"] : runtimes
  const rows = casesOf(plan)
    .map((
      { id, title },
    ) => [title, ...columns.map((runtime) => figure(plan, cells, runtime, id))])
    .filter(([, ...figures]) => figures.some((text) => text !== "–"))
  if (rows.length === 0) return []
  const line = (items: ReadonlyArray<string>): string => `| ${items.join(" | ")} |`
  return [
    `### ${plan.title}`,
    "",
    `${plan.about} ${plan.unit}, ${plan.better} is better.`,
    "",
    line(["", ...columns.map((runtime) => names[runtime] ?? runtime)]),
    line(["---", ...columns.map(() => "---")]),
    ...rows.map(line),
    "",
  ]
}

const verdict = (missing: number | undefined): string => {
  if (missing === undefined) return "–"
  if (missing <= 0) return "met"
  return `**missed by ${missing < 1 ? missing.toFixed(1) : missing.toFixed(0)} %**${
    missing < noise ? " (below noise)" : ""
  }`
}

const goalTable = (cells: Cells): ReadonlyArray<string> => [
  "| goal | | measured | |",
  "| --- | --- | --- | --- |",
  ...goals.flatMap((goal) =>
    goal
      .verdicts(cells)
      .map(
        ({ runtime, measured, missing }) =>
          `| ${goal.text} | ${runtime === "all" ? "" : (names[runtime] ?? runtime)} | ${measured} | ${
            verdict(
              missing,
            )
          } |`,
      )
  ),
  "",
]

const failures = (samples: ReadonlyArray<Sample>): ReadonlyArray<string> => {
  const failed = samples.filter((sample) => sample.error !== undefined)
  if (failed.length === 0) return []
  return [
    "## What failed",
    "",
    ...failed.map(({ row, runtime, tool, error }) => `- ${row}, ${runtime}, ${tool}: ${error}`),
    "",
  ]
}

const number = (value: number, { isRatio, row }: Change): string => {
  const plan = plans.find(({ id }) => id === row)
  return isRatio ? `${value.toFixed(2)} ×` : `${value.toFixed(plan?.digits ?? 0)} ${plan?.unit ?? ""}`
}

/** A change, in words. */
export const changeLine = (change: Change): string =>
  `${change.isWorse ? "fell" : "rose"}: ${change.row}, ${change.runtime}, ${change.tool}: ${
    number(
      change.before,
      change,
    )
  } to ${number(change.after, change)}, ${Math.abs(change.worseBy).toFixed(0)} % (noise ${change.noise.toFixed(0)} %)`

const changeList = (
  changes: ReadonlyArray<Change> | undefined,
): ReadonlyArray<string> => [
  "## Since the figures before",
  "",
  ...(changes === undefined
    ? ["There were none."]
    : changes.length === 0
    ? ["Nothing of Sluice changed by more than the noise."]
    : [...changes].sort((a, b) => b.worseBy - a.worseBy).map((change) => `- ${changeLine(change)}`)),
  "",
]

/** Written by hand, kept when the tables are written anew: what the profiles say about what was missed. */
const notes = (): ReadonlyArray<string> => {
  const file = join(import.meta.dirname, "NOTES.md")
  return existsSync(file) ? [readFileSync(file, "utf8").trimEnd(), ""] : []
}

const gib = (bytes: number): string => `${+(bytes / 2 ** 30).toFixed(2)} GiB`

/** Writes the whole report of one run. */
export const report = (
  samples: ReadonlyArray<Sample>,
  run: Circumstances,
  changes: ReadonlyArray<Change> | undefined,
): string => {
  const cells = cellsOf(samples)
  const present = new Set(samples.map((sample) => sample.runtime))
  const runtimes = ["deno", "bun", "node"].filter((runtime) => present.has(runtime))
  return [
    "# Bench",
    "",
    `\`${run.command}\`, ${run.date}, ${run.minutes.toFixed(0)} minutes, load ${run.load.toFixed(2)} before${
      run.quick ? " (**quick: it shows that everything runs, its figures mean little**)" : ""
    }.`,
    "",
    ...run.machine.map((line) => `- ${line}`),
    "",
    "Each figure is the median of interleaved rounds, each in a process of its own; × is the ratio to the row's floor of " +
    "the same run, ± half the range; without it, one round. Peers that are more than 1.5 times as slow as the best one are " +
    `measured once. Below ${noise} % is noise. Absolute figures move from machine to machine.`,
    "",
    `Output is written by ${run.compiledWriter ? "`writer.c`, compiled" : "`cat` of a file in memory"}; memory is ` +
    `measured over ${gib(run.memoryBytes)} for Sluice and the floor, a twentieth for the others.`,
    "",
    "## Goals",
    "",
    ...goalTable(cells),
    ...changeList(changes),
    "## Figures",
    "",
    ...plans.flatMap((plan) => table(plan, cells, runtimes)),
    ...failures(samples),
    ...notes(),
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
}
