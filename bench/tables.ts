/** Tables whose cells are medians of interleaved rounds: each case runs in a process of its own. */
import os from "node:os"
import { dirname, join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import { mkdirSync, writeFileSync } from "node:fs"
import { runChild } from "./child.ts"
import { describeMachine, root, runtimePaths } from "./machine.ts"
import { decodeValues, median } from "./samples.ts"
import type { Runtime } from "./tools/index.ts"

/** A line of a table: what is measured, and what it is a ratio to. */
export interface Line<Case> {
  readonly title: string
  readonly of: Case
  readonly to?: Case
  /** Which of its values is shown. Default: the table's. */
  readonly value?: string
}

/** One table. */
export interface Table<Case> {
  readonly id: string
  readonly title: string
  readonly about: string
  readonly value: string
  readonly unit: string
  readonly digits: number
  readonly lines: ReadonlyArray<Line<Case>>
}

/** How a run is asked for: `[--quick] [--tables a,b] [--runtimes a,b] [--rounds N] [--out FILE]`. */
export interface RunOptions {
  readonly quick: boolean
  readonly rounds: number
  readonly runtimes: ReadonlyArray<readonly [Runtime, string]>
  readonly tables: ReadonlyArray<string> | undefined
  readonly out: string | undefined
}

/** A line of a table. */
export const line = <Case>(
  title: string,
  of: Case,
  to?: Case,
  value?: string,
): Line<Case> => ({
  title,
  of,
  ...(to === undefined ? undefined : { to }),
  ...(value === undefined ? undefined : { value }),
})

/** The parameters of a case, in their order. */
const keyOf = (one: object): string => Object.values(one).join(" ")

/** The cases of some tables, each once. */
export const casesOf = <Case extends object>(
  tables: ReadonlyArray<Table<Case>>,
): ReadonlyArray<Case> => {
  const all = new Map<string, Case>()
  for (const { lines } of tables) {
    for (const { of, to } of lines) {
      for (const one of to === undefined ? [of] : [of, to]) {
        all.set(keyOf(one), one)
      }
    }
  }
  return [...all.values()]
}

const listOf = (text: string | undefined): ReadonlyArray<string> => text?.split(",").filter((item) => item !== "") ?? []

const isRuntime = (name: string): name is Runtime => name === "deno" || name === "bun" || name === "node"

/** Reads the words after `run.mjs NAME`. */
export const readOptions = (): RunOptions => {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      quick: { type: "boolean", default: false },
      tables: { type: "string" },
      runtimes: { type: "string" },
      rounds: { type: "string" },
      out: { type: "string" },
    },
  })
  const names = listOf(values.runtimes)
  return {
    quick: values.quick,
    rounds: Number(values.rounds ?? (values.quick ? 1 : 3)),
    runtimes: runtimePaths(
      (names.length === 0 ? ["deno", "bun", "node"] : names).filter(isRuntime),
    ),
    tables: values.tables === undefined ? undefined : listOf(values.tables),
    out: values.out,
  }
}

/** What a report is made of. */
export interface Report<Case> {
  /** `"journal"`: the word after `run.mjs`. */
  readonly name: string
  readonly title: string
  readonly tables: ReadonlyArray<Table<Case>>
  /** The script that measures, and its arguments. */
  readonly commandOf: (one: Case) => ReadonlyArray<string>
  /** Cases that cannot be measured here. */
  readonly skips?: (one: Case) => boolean
}

const say = (text: string): void => void process.stderr.write(text)

/** Measures one case after the other; keeps the figures, and what failed. */
export class Runs<Case extends object> {
  readonly #report: Report<Case>
  readonly #options: RunOptions
  readonly #figures = new Map<
    string,
    Array<Readonly<Record<string, number>>>
  >()
  readonly #failures: Array<string> = []
  readonly #load = os.loadavg()[0] ?? 0

  constructor(report: Report<Case>, options: RunOptions) {
    this.#report = report
    this.#options = options
    say(`load ${this.#load.toFixed(2)}\n`)
  }

  async measure(runtime: Runtime, path: string, one: Case): Promise<void> {
    const words = runtime === "deno" ? ["run", "--allow-all", "--quiet"] : []
    const ended = await runChild(
      path,
      [...words, ...this.#report.commandOf(one)],
      20 * 60_000,
      true,
    )
    const line = ended.stdout.trim().split("\n").at(-1) ?? ""
    const values = ended.ok && line !== "" ? decodeValues(line) : null
    const key = `${runtime} ${keyOf(one)}`
    if (values === null) {
      const why = ended.stderr.trim().split("\n").find((text) => /error/i.test(text)) ?? "no output"
      this.#failures.push(
        `${runtime}, ${keyOf(one)}: ${why.replaceAll(root, ".").slice(0, 300)}`,
      )
      return say(`\n${this.#failures.at(-1)}\n`)
    }
    this.#figures.set(key, [...(this.#figures.get(key) ?? []), values])
    say(".")
  }

  /** All cases on all runtimes, round after round. */
  async all(cases: ReadonlyArray<Case>): Promise<void> {
    for (let round = 0; round < this.#options.rounds; round++) {
      for (const one of cases) {
        if (this.#report.skips?.(one) === true) continue
        for (const [runtime, path] of this.#options.runtimes) {
          await this.measure(runtime, path, one)
        }
      }
    }
  }

  #figure(runtime: string, one: Case, value: string): number {
    const values = this.#figures.get(`${runtime} ${keyOf(one)}`) ??
      []
    return median(values.map((each) => each[value] ?? Number.NaN))
  }

  #tableText(table: Table<Case>): ReadonlyArray<string> {
    const { runtimes } = this.#options
    return [
      `## ${table.title}`,
      "",
      table.about,
      "",
      `| | ${runtimes.map(([name]) => name).join(" | ")} |`,
      `| --- | ${runtimes.map(() => "---").join(" | ")} |`,
      ...table.lines.map(({ of, title, to, value = table.value }) => {
        const cells = runtimes.map(([runtime]) => {
          const number = this.#figure(runtime, of, value)
          if (Number.isNaN(number)) return "–"
          const ratio = to === undefined ? "" : ` · ${(number / this.#figure(runtime, to, value)).toFixed(2)} ×`
          return `${number.toFixed(table.digits)} ${table.unit}${ratio}`
        })
        return `| ${title} | ${cells.join(" | ")} |`
      }),
      "",
    ]
  }

  /** Writes the report: to its place when it is whole, else to the cache. */
  async write(): Promise<void> {
    const { out, quick, rounds, runtimes, tables } = this.#options
    const { name, tables: shown, title } = this.#report
    const whole = tables === undefined && !quick && runtimes.length === 3
    const bench = join(root, "bench")
    const file = out ?? (whole ? join(bench, name, "RESULTS.md") : join(bench, ".cache", `${name}.md`))
    const words = ["node", "bench/run.mjs", ...process.argv.slice(2)].join(" ")
    const text = [
      `# ${title}`,
      "",
      `\`${words}\`, ${new Date().toISOString().slice(0, 10)}, load ${
        this.#load.toFixed(2)
      } before; medians of ${rounds} interleaved rounds${quick ? " (**quick: its figures mean little**)" : ""}.`,
      "",
      ...describeMachine(runtimes).slice(0, 2).map((line) => `- ${line}`),
      "",
      ...shown.flatMap((table) => this.#tableText(table)),
      ...(this.#failures.length === 0 ? [] : [
        "## What failed",
        "",
        ...this.#failures.map((failure) => `- ${failure}`),
        "",
      ]),
    ]
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text.join("\n"))
    const deno = runtimes.find(([name]) => name === "deno")?.[1]
    if (deno !== undefined) {
      await runChild(
        deno,
        ["fmt", "--quiet", "--config", join(root, "deno.json"), file],
        60_000,
        false,
      )
    }
    say(`\n${file}\n`)
    if (this.#failures.length > 0) process.exitCode = 1
  }
}

/** Measures all cases of the tables that are asked for, and writes the report. */
export const runReport = async <Case extends object>(
  report: Report<Case>,
  options: RunOptions,
): Promise<void> => {
  const tables = report.tables.filter(({ id }) => options.tables?.includes(id) ?? true)
  const runs = new Runs({ ...report, tables }, options)
  await runs.all(casesOf(tables))
  await runs.write()
}
