/**
 * The bench: measures everything side by side, in interleaved rounds, and writes the tables. See `options.ts`.
 *
 * Each (runtime, tool, row) is measured in a process of its own, once a round; a round goes over all of them, and the
 * next starts at another one, so that a busy moment of the machine does not hit the same tool each time. Each row gets
 * one round, then as many more as there is time for.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import os from "node:os"
import { join } from "node:path"
import process from "node:process"
import { runChild } from "./child.ts"
import { keepCircumstances, readCircumstances } from "./circumstances.ts"
import { type Change, changesOf } from "./compare.ts"
import { isSameMachine, readFigures, writeFigures } from "./figures.ts"
import { describeMachine, root, runtimePaths } from "./machine.ts"
import { type Options, parse } from "./options.ts"
import { type Plan, plans } from "./plan.ts"
import { changeLine, report } from "./report.ts"
import { nextRow } from "./rounds.ts"
import { append, cellsOf, readSamples } from "./samples.ts"
import { cache, type Runtimes, type Task, tasksOf } from "./tasks.ts"
import { figuresOf } from "./values.ts"
import { isCompiled, prepareWriter } from "./writer.ts"

/** A row, and what was measured of it. */
interface Row {
  readonly plan: Plan
  readonly tasks: ReadonlyArray<Task>
  readonly maxRounds: number
  /** Cases that are not measured again: they hung, failed, cannot be done, or are far behind. */
  readonly done: Set<Task>
  rounds: number
  lastMs: number
  urgent: boolean
}

const say = (text: string): void => void process.stderr.write(text)

const maxRoundsOf = (plan: Plan, options: Options): number =>
  plan.rounds === "once" ? 1 : plan.rounds === "few" ? Math.min(3, options.rounds) : options.rounds

const startsOnly = (plan: Plan): boolean => plan.by === "imports" || plan.by === "cli"

/** One round of a row: every task once, as many at a time as the row allows. */
const measureRound = async (row: Row, file: string): Promise<void> => {
  const { done, plan, rounds, tasks } = row
  const start = performance.now()
  say(`\n${plan.id} ${rounds + 1} `)
  // Fills the caches of compiled code, of the runtime and of the disk.
  if (rounds === 0 && startsOnly(plan)) {
    for (const task of tasks) await task.run()
  }
  const shift = Math.floor((rounds * tasks.length) / 3) %
    Math.max(1, tasks.length)
  const queue = [...tasks.slice(shift), ...tasks.slice(0, shift)].filter((
    task,
  ) => !done.has(task))
  const lane = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
      const result = await task.run()
      append(file, {
        row: plan.id,
        runtime: task.runtime,
        tool: task.tool,
        round: rounds,
        ...result,
      })
      if (result.values === null || result.values["hung"] === 1) done.add(task)
      say(
        result.error === undefined ? "." : `\n${task.runtime} ${task.tool}: ${result.error}\n`,
      )
    }
  }
  await Promise.all(Array.from({ length: plan.lanes ?? 1 }, lane))
  row.rounds++
  row.lastMs = performance.now() - start
  say(` ${(row.lastMs / 1000).toFixed(1)} s`)
}

/** Peers that are far behind the best one are not measured again: their place is known. */
const dropSlowPeers = ({ done, plan, tasks }: Row, file: string): void => {
  const cells = cellsOf(readSamples(file))
  const cost = (task: Task): number => {
    const value = cells(plan.id, task.runtime, task.tool)?.of(plan.value) ??
      Infinity
    return plan.better === "lower" ? value : 1 / value
  }
  const peers = tasks.filter(({ kind }) => kind === "peer")
  for (const peer of peers) {
    const best = Math.min(
      ...peers.filter(({ runtime }) => runtime === peer.runtime).map(cost),
    )
    if (cost(peer) > best * 1.5) done.add(peer)
  }
}

/** The committed figures, as they were before this run. */
const before = readFigures()

/** Rows of which something fell below the committed figures: with `--check` they are measured again first. */
const fallen = (file: string): ReadonlySet<string> =>
  new Set(
    (compared(file, true) ?? []).filter(({ isWorse }) => isWorse).map((
      { row },
    ) => row),
  )

/** The changes since the committed figures; `undefined` where there are none. */
const compared = (
  file: string,
  ratiosOnly: boolean,
): ReadonlyArray<Change> | undefined =>
  before &&
  changesOf(
    plans,
    before.figures,
    figuresOf(cellsOf(readSamples(file))),
    ratiosOnly,
  )

const measureAll = async (
  options: Options,
  runtimes: Runtimes,
): Promise<string> => {
  const end = performance.now() + options.minutes * 60_000
  const writer = prepareWriter(join(import.meta.dirname, "writer.c"), cache)
  const now = new Date().toISOString()
  const file = join(cache, `samples-${now.replace(/[:.]/g, "-")}.jsonl`)
  const load = os.loadavg()[0] ?? 0
  const circumstances = {
    command: options.commandLine,
    quick: options.quick,
    date: now.slice(0, 10),
    machine: describeMachine(runtimes),
    load,
    memoryBytes: options.memoryBytes,
    compiledWriter: isCompiled(writer),
  }
  say(
    `${runtimes.map(([name]) => name).join(", ")}; load ${load.toFixed(2)}; samples in ${file}\n`,
  )
  if (load > 0.5) {
    say(
      "The machine is busy: the figures will say more about that than about the tools.\n",
    )
  }
  const began = performance.now()
  const rows = options.rows.map((plan): Row => ({
    plan,
    tasks: tasksOf(plan, options, runtimes, writer),
    maxRounds: maxRoundsOf(plan, options),
    done: new Set(),
    rounds: 0,
    lastMs: 0,
    urgent: false,
  }))
  for (const row of rows) {
    // A machine that is too slow for the budget still measures Sluice and the floor.
    if (performance.now() > end) {
      for (const task of row.tasks) {
        if (task.kind === "peer") row.done.add(task)
      }
    }
    await measureRound(row, file)
    dropSlowPeers(row, file)
  }
  for (;;) {
    if (options.check) {
      const urgent = fallen(file)
      for (const row of rows) row.urgent = urgent.has(row.plan.id)
    }
    const row = nextRow(rows, end - performance.now())
    if (row === undefined) break
    await measureRound(row, file)
  }
  keepCircumstances(file, {
    ...circumstances,
    minutes: (performance.now() - began) / 60_000,
  })
  say("\n")
  return file
}

/** Everything was measured: only then the report in the repository is written anew without being asked to. */
const isWhole = (options: Options): boolean =>
  !options.quick &&
  options.rows.length === plans.length &&
  options.tools.length === 0 &&
  options.runtimes.length === 3

const writeReport = async (
  options: Options,
  runtimes: Runtimes,
  file: string,
): Promise<void> => {
  const samples = readSamples(file)
  const cells = cellsOf(samples)
  const circumstances = readCircumstances(file)
  // "npm run bench -- ARGUMENTS", as the samples of `--from` were measured.
  const whole = isWhole(options.from === undefined ? options : parse(circumstances.command.split(" ").slice(4)))
  const out = options.out ?? join(whole ? import.meta.dirname : cache, "RESULTS.md")
  const changes = compared(
    file,
    before === undefined || !isSameMachine(before, circumstances.machine),
  )
  writeFileSync(out, report(samples, circumstances, changes))
  if (whole) {
    writeFigures({ ...circumstances, figures: figuresOf(cells) }, cells)
  }
  const deno = runtimes.find(([name]) => name === "deno")?.[1]
  // The formatter's spacing of tables, so that the report passes its check.
  if (deno !== undefined) {
    const words = ["fmt", "--quiet", "--config", join(root, "deno.json"), out]
    await runChild(deno, words, 60_000, false)
  }
  if (whole) {
    await runChild(
      process.execPath,
      [join(root, "scripts", "generate.mjs"), "speed"],
      60_000,
      false,
    )
  }
  for (const change of changes ?? []) say(`${changeLine(change)}\n`)
  say(`${out}\n`)
  const broken = samples.some((sample) => sample.error !== undefined && /^(sluice|raw)/.test(sample.tool))
  if (broken) process.exitCode = 1
}

/** Fails when a ratio fell. */
const check = (file: string): void => {
  const changes = compared(file, true)
  if (changes === undefined) {
    throw new Error(
      "there is no bench/figures.json to compare with: npm run bench",
    )
  }
  for (const change of changes) say(`${changeLine(change)}\n`)
  const worse = changes.filter(({ isWorse }) => isWorse)
  const broken = readSamples(file).filter(({ error }) => error !== undefined)
  say(
    `${worse.length} ratios fell, ${changes.length - worse.length} rose, ${broken.length} measurements failed\n`,
  )
  if (worse.length > 0 || broken.length > 0) process.exitCode = 1
}

const main = async (): Promise<void> => {
  const options = parse(process.argv.slice(2))
  mkdirSync(cache, { recursive: true })
  const runtimes = runtimePaths(options.runtimes)
  if (runtimes.length === 0) {
    throw new Error("no runtime was found: start it as `npm run bench`")
  }
  const file = options.from ?? (await measureAll(options, runtimes))
  if (options.check) check(file)
  else await writeReport(options, runtimes, file)
}

await main()
