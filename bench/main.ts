/**
 * The bench: measures everything side by side, in interleaved rounds, and writes the tables. See `options.ts`.
 *
 * Each (runtime, tool, row) is measured in a process of its own, once a round; a round goes over all of them, and the
 * next starts at another one, so that a busy moment of the machine does not hit the same tool each time.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import os from "node:os"
import { join } from "node:path"
import process from "node:process"
import { bundleCli, bundleSize, bundleTitles } from "./bundles.ts"
import { runChild } from "./child.ts"
import { keepCircumstances, readCircumstances } from "./circumstances.ts"
import { prepareImports } from "./imports.ts"
import { describeMachine, root, runtimePaths } from "./machine.ts"
import type { WireJob } from "./measure.ts"
import { type Options, parse } from "./options.ts"
import { type Plan, plans } from "./plan.ts"
import { report } from "./report.ts"
import type { Sizes } from "./rows/Row.ts"
import { append, decodeValues, readSamples, type Sample } from "./samples.ts"
import { entries, type Entry, type Runtime } from "./tools/index.ts"
import { firstOf, isCompiled, prepareWriter } from "./writer.ts"

type Runtimes = ReadonlyArray<readonly [Runtime, string]>

/** One thing to measure: called once a round. */
interface Task {
  readonly runtime: string
  readonly tool: string
  readonly run: () => Promise<Pick<Sample, "values" | "error">>
}

const cache = join(import.meta.dirname, ".cache")

const launch = (runtime: Runtime, file: string): ReadonlyArray<string> =>
  runtime === "deno" ? ["run", "--allow-all", "--quiet", file] : [file]

/** The line that names the error, without this machine's paths: it may go into the report. */
const errorOf = (text: string): string => {
  const lines = text.trim().split("\n")
  const line = lines.find((line) => /error:/i.test(line)) ?? lines.at(-1) ?? ""
  return line.replaceAll(root, ".").slice(0, 300) || "no output"
}

const sizesOf = (options: Options, entry: Entry): Sizes => ({
  spawns: options.quick ? 16 : 200,
  bytes: options.quick ? 120_000_000 : 1_800_000_000,
  lineBytes: options.quick ? 30_000_000 : 240_000_000,
  textBytes: options.quick ? 8 << 20 : 64 << 20,
  memoryBytes: entry.kind === "peer" ? options.peerMemoryBytes : options.memoryBytes,
})

const toolTasks = (plan: Plan, options: Options, runtimes: Runtimes, writer: string): ReadonlyArray<Task> => {
  const wanted = entries.filter(
    (entry) =>
      options.tools.length === 0 || options.tools.some((tool) => entry.id === tool || entry.id.startsWith(`${tool}:`)),
  )
  return runtimes.flatMap(([runtime, path]) =>
    wanted
      .filter((entry) => entry.only === undefined || entry.only === runtime)
      .map((entry) => {
        const job: WireJob = {
          sizes: sizesOf(options, entry),
          writer,
          nothing: firstOf(["/bin/true", "/usr/bin/true"]),
          shell: "/bin/sh",
        }
        const args = [
          ...launch(runtime, join(import.meta.dirname, "measure.ts")),
          plan.id,
          entry.id,
          JSON.stringify(job),
        ]
        const run: Task["run"] = async () => {
          const ended = await runChild(path, args, 15 * 60_000, true)
          const line = ended.stdout.trim().split("\n").at(-1) ?? ""
          return ended.ok && line !== ""
            ? { values: decodeValues(line) }
            : { values: null, error: errorOf(ended.stderr) }
        }
        return { runtime, tool: entry.id, run }
      })
  )
}

/** Starts a script and takes its time: to its first byte of output if it must write `output`, else to its end. */
const startTask = (runtime: Runtime, path: string, tool: string, script: ReadonlyArray<string>, output = ""): Task => ({
  runtime,
  tool,
  run: async () => {
    const [file = "", ...args] = script
    const ended = await runChild(path, [...launch(runtime, file), ...args], 60_000, false)
    if (!ended.ok || ended.stdout !== output) return { values: null, error: errorOf(ended.stderr) }
    return { values: { ms: ended.firstByteMs ?? ended.ms } }
  },
})

const failing = (runtime: string, tool: string, error: unknown): Task => ({
  runtime,
  tool,
  run: () =>
    Promise.resolve({
      values: null,
      error: error instanceof Error ? error.message : String(error),
    }),
})

const tasksOf = async (
  plan: Plan,
  options: Options,
  runtimes: Runtimes,
  writer: string,
): Promise<ReadonlyArray<Task>> => {
  switch (plan.by) {
    case "tools":
      return toolTasks(plan, options, runtimes, writer)
    case "imports": {
      const imports = prepareImports(cache)
      return runtimes.flatMap(([runtime, path]) => imports.map(({ id, file }) => startTask(runtime, path, id, [file])))
    }
    case "cli": {
      const empty = join(import.meta.dirname, "entries", "imports", "empty.mjs")
      const floor = runtimes.map(([runtime, path]) => startTask(runtime, path, "empty", [empty]))
      try {
        const file = await bundleCli(cache)
        const args = [file, "run", "--", "/bin/echo", "hello"]
        return [...floor, ...runtimes.map(([runtime, path]) => startTask(runtime, path, "cli", args, "hello\n"))]
      } catch (error) {
        return [...floor, ...runtimes.map(([runtime]) => failing(runtime, "cli", error))]
      }
    }
    case "bundles":
      return Object.keys(bundleTitles).map((tool) => ({
        runtime: "all",
        tool,
        run: () => bundleSize(tool).then((values) => ({ values }), failing("all", tool, `${tool} does not bundle`).run),
      }))
  }
}

/** Process starts are short and vary: three times as many rounds. */
const roundsOf = (plan: Plan, options: Options): number => {
  if (plan.rounds === "once") return 1
  if (plan.rounds === "few") return Math.min(3, options.rounds)
  return plan.by === "tools" ? options.rounds : options.rounds * 3
}

const say = (text: string): void => void process.stderr.write(text)

const measureRow = async (plan: Plan, tasks: ReadonlyArray<Task>, rounds: number, file: string): Promise<void> => {
  // What hung, failed, or cannot be done is not asked again.
  const done = new Set<Task>()
  if (plan.by === "imports" || plan.by === "cli") {
    for (const task of tasks) await task.run() // Fills the caches of compiled code, of the runtime and of the disk.
  }
  for (let round = 0; round < rounds; round++) {
    say(`\n${plan.id} ${round + 1}/${rounds} `)
    const shift = Math.floor((round * tasks.length) / rounds)
    for (const task of [...tasks.slice(shift), ...tasks.slice(0, shift)]) {
      if (done.has(task)) continue
      const result = await task.run()
      append(file, {
        row: plan.id,
        runtime: task.runtime,
        tool: task.tool,
        round,
        ...result,
      })
      if (result.values === null || result.values["hung"] === 1) done.add(task)
      say(result.error === undefined ? "." : `\n${task.runtime} ${task.tool}: ${result.error}\n`)
    }
  }
}

const measureAll = async (options: Options, runtimes: Runtimes): Promise<string> => {
  const writer = prepareWriter(join(import.meta.dirname, "writer.c"), cache)
  const now = new Date().toISOString()
  const file = join(cache, `samples-${now.replace(/[:.]/g, "-")}.jsonl`)
  const load = os.loadavg()[0] ?? 0
  keepCircumstances(file, {
    command: options.commandLine,
    quick: options.quick,
    date: now.slice(0, 10),
    machine: describeMachine(runtimes),
    load,
    memoryBytes: options.memoryBytes,
    peerMemoryBytes: options.peerMemoryBytes,
    compiledWriter: isCompiled(writer),
  })
  say(`${runtimes.map(([name]) => name).join(", ")}; load ${load.toFixed(2)}; samples in ${file}\n`)
  if (load > 0.5) say("The machine is busy: the figures will say more about that than about the tools.\n")
  for (const plan of options.rows) {
    const tasks = await tasksOf(plan, options, runtimes, writer)
    await measureRow(plan, tasks, roundsOf(plan, options), file)
  }
  say("\n")
  rmSync(join(cache, "compiled"), { recursive: true, force: true })
  return file
}

/** Everything was measured: only then the report in the repository is written anew without being asked to. */
const isWhole = (options: Options): boolean =>
  options.from.length > 0 ||
  (!options.quick &&
    options.rows.length === plans.length &&
    options.tools.length === 0 &&
    options.runtimes.length === 3)

const main = async (): Promise<void> => {
  const options = parse(process.argv.slice(2))
  mkdirSync(cache, { recursive: true })
  const runtimes = runtimePaths(options.runtimes)
  if (runtimes.length === 0) throw new Error("no runtime was found: start it as `node bench/run.mjs`")
  const [file = await measureAll(options, runtimes), ...more] = options.from
  const samples = readSamples([file, ...more])
  const out = options.out ?? join(isWhole(options) ? import.meta.dirname : cache, "RESULTS.md")
  writeFileSync(out, report(samples, readCircumstances(file), more.map(readCircumstances)))
  const deno = runtimes.find(([name]) => name === "deno")?.[1]
  // The formatter's spacing of tables, so that the report passes its check.
  if (deno !== undefined) {
    await runChild(deno, ["fmt", "--quiet", "--config", join(root, "deno.json"), out], 60_000, false)
  }
  say(`${out}\n`)
  const broken = samples.some((sample) => sample.error !== undefined && /^(sluice|raw|cli)/.test(sample.tool))
  if (broken) process.exitCode = 1
}

await main()
