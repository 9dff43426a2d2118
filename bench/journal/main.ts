/**
 * The journal's bench: `node bench/run.mjs journal [--quick] [--tables a,b] [--runtimes a,b] [--rounds N] [--out FILE]`.
 * Each case runs in a process of its own, in interleaved rounds; the report has the medians.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import os from "node:os"
import { join } from "node:path"
import process from "node:process"
import { parseArgs } from "node:util"
import * as Redacted from "effect/Redacted"
import { postgresIsHere, Server } from "../../tests/support/postgres.ts"
import { runChild } from "../child.ts"
import { describeMachine, root, runtimePaths } from "../machine.ts"
import { decodeValues, median } from "../samples.ts"
import type { Runtime } from "../tools/index.ts"
import { prepareWriter } from "../writer.ts"
import type { Job } from "./Job.ts"
import { type Case, casesOf, keyOf, type Table, tables } from "./plan.ts"

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    quick: { type: "boolean", default: false },
    tables: { type: "string" },
    runtimes: { type: "string" },
    rounds: { type: "string" },
    out: { type: "string" },
  },
})

const say = (text: string): void => void process.stderr.write(text)

const listOf = (text: string | undefined): ReadonlyArray<string> => text?.split(",").filter((item) => item !== "") ?? []

const isRuntime = (name: string): name is Runtime => name === "deno" || name === "bun" || name === "node"

const names = listOf(options.runtimes)
const runtimes = runtimePaths(
  (names.length === 0 ? ["deno", "bun", "node"] : names).filter(isRuntime),
)
const wanted = tables.filter(({ id }) => options.tables === undefined || listOf(options.tables).includes(id))
const rounds = Number(options.rounds ?? (options.quick ? 1 : 3))
const cache = join(root, "bench", ".cache")
const folder = join(cache, "journal")

const args = (runtime: Runtime, one: Case, job: Job): ReadonlyArray<string> => [
  ...(runtime === "deno" ? ["run", "--allow-all", "--quiet"] : []),
  join(import.meta.dirname, "measure.ts"),
  one.row,
  one.store,
  one.level,
  JSON.stringify(job),
]

type Figures = Map<string, Array<Readonly<Record<string, number>>>>

const figure = (
  figures: Figures,
  runtime: string,
  one: Case,
  value: string,
): number =>
  median(
    (figures.get(`${runtime} ${keyOf(one)}`) ?? []).map((values) => values[value] ?? Number.NaN),
  )

const tableText = (table: Table, figures: Figures): ReadonlyArray<string> => [
  `## ${table.title}`,
  "",
  table.about,
  "",
  `| | ${runtimes.map(([name]) => name).join(" | ")} |`,
  `| --- | ${runtimes.map(() => "---").join(" | ")} |`,
  ...table.lines.map(({ of, title, to, value = table.value }) => {
    const cells = runtimes.map(([runtime]) => {
      const number = figure(figures, runtime, of, value)
      if (Number.isNaN(number)) return "–"
      const ratio = to === undefined ? "" : ` · ${(number / figure(figures, runtime, to, value)).toFixed(2)} ×`
      return `${number.toFixed(table.digits)} ${table.unit}${ratio}`
    })
    return `| ${title} | ${cells.join(" | ")} |`
  }),
  "",
]

const main = async (): Promise<void> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const writer = prepareWriter(join(root, "bench", "writer.c"), cache)
  const cases = casesOf(wanted)
  const needsServer = cases.some(({ store }) => store === "postgres")
  const server = needsServer && postgresIsHere ? await Server.make() : undefined
  const largeRows = options.quick ? 100_000 : 10_000_000
  const job: Job = {
    folder,
    rows: options.quick ? 5_120 : 256_000,
    largeRows,
    large: join(cache, `journal-${largeRows}.db`),
    lineBytes: options.quick ? 6_000_000 : 600_000_000,
    writer,
    spawns: options.quick ? 20 : 500,
    server: server === undefined ? null : { port: server.port, password: Redacted.value(server.password) },
  }
  const load = os.loadavg()[0] ?? 0
  const failures: Array<string> = []
  const figures: Figures = new Map()
  const measure = async (
    runtime: Runtime,
    path: string,
    one: Case,
  ): Promise<void> => {
    const ended = await runChild(
      path,
      args(runtime, one, job),
      20 * 60_000,
      true,
    )
    const line = ended.stdout.trim().split("\n").at(-1) ?? ""
    const values = ended.ok && line !== "" ? decodeValues(line) : null
    if (values === null) {
      const why = ended.stderr.trim().split("\n").find((text) => /error/i.test(text)) ?? "no output"
      failures.push(
        `${runtime}, ${keyOf(one)}: ${why.replaceAll(root, ".").slice(0, 300)}`,
      )
      return say(`\n${failures.at(-1)}\n`)
    }
    const key = `${runtime} ${keyOf(one)}`
    figures.set(key, [...(figures.get(key) ?? []), values])
    say(".")
  }
  try {
    say(`load ${load.toFixed(2)}\n`)
    const [first] = runtimes
    if (first !== undefined && wanted.some(({ id }) => id === "large")) {
      await measure(first[0], first[1], {
        row: "makeLarge",
        store: "sqlite",
        level: "os",
      })
    }
    for (let round = 0; round < rounds; round++) {
      for (const one of cases) {
        if (one.store === "postgres" && server === undefined) continue
        for (const [runtime, path] of runtimes) {
          await measure(runtime, path, one)
        }
      }
    }
  } finally {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const whole = wanted.length === tables.length && !options.quick &&
    runtimes.length === 3
  const out = options.out ??
    join(whole ? join(root, "bench") : cache, "JOURNAL.md")
  writeFileSync(
    out,
    [
      "# Bench of the journal",
      "",
      `\`${["node", "bench/run.mjs", ...process.argv.slice(2)].join(" ")}\`, ${
        new Date().toISOString().slice(0, 10)
      }, load ${load.toFixed(2)} before; medians of ${rounds} interleaved rounds${
        options.quick ? " (**quick: its figures mean little**)" : ""
      }.`,
      "",
      ...describeMachine(runtimes).slice(0, 2).map((line) => `- ${line}`),
      "",
      ...wanted.flatMap((table) => tableText(table, figures)),
      ...(failures.length === 0 ? [] : [
        "## What failed",
        "",
        ...failures.map((failure) => `- ${failure}`),
        "",
      ]),
    ].join("\n"),
  )
  const deno = runtimes.find(([name]) => name === "deno")?.[1]
  if (deno !== undefined) {
    await runChild(
      deno,
      ["fmt", "--quiet", "--config", join(root, "deno.json"), out],
      60_000,
      false,
    )
  }
  say(`\n${out}\n`)
  if (failures.length > 0) process.exitCode = 1
}

await main()
