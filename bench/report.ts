/** The tables, in Markdown. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { bundleTitles } from "./bundles.ts"
import type { Circumstances } from "./circumstances.ts"
import { goals, importCost } from "./goals.ts"
import { importTitles } from "./imports.ts"
import { type Plan, plans } from "./plan.ts"
import { type Cell, type Cells, cellsOf, type Sample } from "./samples.ts"
import { entries } from "./tools/index.ts"

const names: Readonly<Record<string, string>> = {
  deno: "Deno",
  bun: "Bun",
  node: "Node",
  all: "size",
}

/** What is not more than this is noise on a machine that is shared with nothing else. */
const noise = 25

const toolsOf = (plan: Plan): ReadonlyArray<readonly [id: string, title: string]> => {
  switch (plan.by) {
    case "tools":
      return entries.map((entry) => [entry.id, entry.title])
    case "imports":
      return Object.entries(importTitles)
    case "bundles":
      return Object.entries(bundleTitles)
    case "cli":
      return [
        ["empty", "empty script (whole process)"],
        ["cli", "Sluice"],
      ]
  }
}

const alive = (cell: Cell): string => {
  const survivors = cell.worst("survivors")
  return Number.isNaN(survivors) || !Number.isFinite(survivors) ? "" : `, ${survivors} alive`
}

const figure = (plan: Plan, cells: Cells, runtime: string, tool: string): string => {
  const cell = cells(plan.id, runtime, tool)
  if (cell === undefined) return "–"
  if (cell.worst("hung") === 1) return `hangs (> 7 s)${alive(cell)}`
  const value = plan.by === "imports" && tool !== "empty"
    ? (importCost(cells, runtime, tool) ?? Number.NaN)
    : cell.of(plan.value)
  const text = value.toFixed(plan.digits)
  if (plan.value === "grownMb") {
    return cell.worst("cut") === 1 ? `> 1,500, cut after ${cell.of("seenMb").toFixed(0)} MB` : `+${text}`
  }
  if (plan.by === "bundles") {
    return `${text} (${cell.of("minifiedKb").toFixed(0)} before gzip)`
  }
  const parts = [plan.value === "lateMs" ? `${value < 0 ? "" : "+"}${text}${alive(cell)}` : text]
  const floor = plan.by === "tools" && plan.rounds === "many" ? cells(plan.id, runtime, "raw") : undefined
  if (floor !== undefined && tool !== "raw") {
    parts.push(`${(value / floor.of(plan.value)).toFixed(2)} ×`)
  }
  if (cell.rounds > 1 && plan.rounds === "many") {
    parts.push(`± ${cell.spread(plan.value).toFixed(0)} %`)
  }
  return parts.join(" · ")
}

const table = (plan: Plan, cells: Cells, runtimes: ReadonlyArray<string>): ReadonlyArray<string> => {
  const columns = plan.by === "bundles" ? ["all"] : runtimes
  const rows = toolsOf(plan)
    .map(([id, title]) => [title, ...columns.map((runtime) => figure(plan, cells, runtime, id))])
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
            verdict(missing)
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

/** Written by hand, kept when the tables are written anew: what the profiles say about what was missed. */
const notes = (): ReadonlyArray<string> => {
  const file = join(import.meta.dirname, "NOTES.md")
  return existsSync(file) ? [readFileSync(file, "utf8").trimEnd(), ""] : []
}

const runOf = ({ command, date, load, quick }: Circumstances): string =>
  `\`${command}\`, ${date}, load ${load.toFixed(2)} before` +
  (quick ? " (**quick: it shows that everything runs, its figures mean little**)" : "")

const gib = (bytes: number): string => `${+(bytes / 2 ** 30).toFixed(2)} GiB`

/** Writes the whole report of one run, or of one with some rows of later runs in place of its own. */
export const report = (
  samples: ReadonlyArray<Sample>,
  first: Circumstances,
  later: ReadonlyArray<Circumstances>,
): string => {
  const cells = cellsOf(samples)
  const present = new Set(samples.map((sample) => sample.runtime))
  const runtimes = ["deno", "bun", "node"].filter((runtime) => present.has(runtime))
  return [
    "# Bench",
    "",
    `${runOf(first)}.`,
    "",
    ...later.flatMap((run) => [`Then, in place of the same rows: ${runOf(run)}.`, ""]),
    ...first.machine.map((line) => `- ${line}`),
    "",
    "Each figure is the median of interleaved rounds, each in a process of its own; × is the ratio to the runtime's " +
    `floor of the same run, ± half the range. Below ${noise} % is noise. Absolute figures move from machine to machine.`,
    "",
    `Output is written by ${first.compiledWriter ? "`writer.c`, compiled" : "`cat` of a file in memory"}; memory is ` +
    `measured over ${gib(first.memoryBytes)} for Sluice and the floor, ${gib(first.peerMemoryBytes)} for the others.`,
    "",
    "## Goals",
    "",
    ...goalTable(cells),
    "## Figures",
    "",
    ...plans.flatMap((plan) => table(plan, cells, runtimes)),
    ...failures(samples),
    ...notes(),
  ]
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
}
