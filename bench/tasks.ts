/** Makes the tasks of a row: one for each runtime and tool. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { bundleSize } from "./bundles.ts"
import { runChild } from "./child.ts"
import { installedIn, installPackage, prepareImports } from "./imports.ts"
import { root } from "./machine.ts"
import type { WireJob } from "./measure.ts"
import type { Options } from "./options.ts"
import type { Case, Plan } from "./plan.ts"
import type { Sizes } from "./rows/Row.ts"
import { decodeValues, median, type Sample } from "./samples.ts"
import { entries, type Runtime } from "./tools/index.ts"
import { firstOf } from "./writer.ts"

/** The runtimes and their programs. */
export type Runtimes = ReadonlyArray<readonly [Runtime, string]>

/** One thing to measure: called once a round. */
export interface Task {
  readonly runtime: string
  readonly tool: string
  readonly kind: Case["kind"]
  readonly run: () => Promise<Pick<Sample, "values" | "error">>
}

/** Folder of what the bench makes. */
export const cache: string = join(import.meta.dirname, ".cache")

const launch = (
  runtime: Runtime,
  file: string,
  collects: boolean,
): ReadonlyArray<string> =>
  runtime === "deno"
    ? [
      "run",
      "--allow-all",
      "--quiet",
      ...(collects ? ["--v8-flags=--expose-gc"] : []),
      file,
    ]
    : runtime === "node" && collects
    ? ["--expose-gc", file]
    : [file]

/** The line that names the error, without this machine's paths: it may go into the report. */
const errorOf = (text: string): string => {
  const lines = text.trim().split("\n")
  const line = lines.find((line) => /error:/i.test(line)) ?? lines.at(-1) ?? ""
  return line.replaceAll(root, ".").slice(0, 300) || "no output"
}

/** Whole lines of 60 bytes. */
const wholeLines = (bytes: number): number => Math.floor(bytes / 60) * 60

/** Less work in less time; what a row's title names stays. */
const sizesOf = (options: Options, kind: Case["kind"]): Sizes => {
  const part = options.quick ? 0.05 : Math.min(1, options.minutes / 12)
  const few = options.quick ? 16 : options.check ? 100 : 200
  return {
    spawns: few,
    warmSpawns: options.quick ? 50 : 2_000,
    warmMillis: options.quick ? 100 : kind === "peer" || options.check ? 1_500 : 5_000,
    waiting: options.quick ? 20 : 200,
    bytes: wholeLines(900_000_000 * part),
    lineBytes: wholeLines(120_000_000 * Math.max(part, 0.5)),
    textBytes: options.quick ? 8 << 20 : 64 << 20,
    memoryBytes: kind === "peer" ? wholeLines(options.memoryBytes / 20) : options.memoryBytes,
    serverSeconds: options.quick ? 1 : options.check ? 2 : 3,
    journalBytes: options.quick ? 6_000_000 : options.check ? 60_000_000 : 600_000_000,
    entries: options.quick ? 10_240 : 204_800,
    commands: options.quick ? 5_000 : 100_000,
  }
}

const isWanted = (
  options: Options,
  { id, kind }: Pick<Case, "id" | "kind">,
): boolean =>
  (options.tools.length === 0 ||
    options.tools.some((tool) => id === tool || id.startsWith(`${tool}:`))) &&
  (!options.check || kind !== "peer")

/** Tasks that `measure.ts` runs: for each runtime and tool, or case of the row. */
const measured = (
  plan: Plan,
  options: Options,
  runtimes: Runtimes,
  writer: string,
): ReadonlyArray<Task> =>
  runtimes.flatMap(([runtime, path]) =>
    (plan.by === "tools" ? entries.filter(({ only = runtime }) => only === runtime) : (plan.cases ?? []))
      .filter((each) => isWanted(options, each))
      .map(({ id, kind }) => {
        const run: Task["run"] = async () => {
          const folder = mkdtempSync(join(cache, `${plan.id}-`))
          const job: WireJob = {
            sizes: sizesOf(options, kind),
            writer,
            nothing: firstOf(["/bin/true", "/usr/bin/true"]),
            shell: "/bin/sh",
            folder,
          }
          const script = launch(
            runtime,
            join(import.meta.dirname, "measure.ts"),
            plan.id === "waiting",
          )
          const ended = await runChild(
            path,
            [...script, plan.id, id, JSON.stringify(job)],
            5 * 60_000,
            true,
          )
          rmSync(folder, { recursive: true, force: true })
          const line = ended.stdout.trim().split("\n").at(-1) ?? ""
          return ended.ok && line !== ""
            ? { values: decodeValues(line) }
            : { values: null, error: errorOf(ended.stderr) }
        }
        return { runtime, tool: id, kind, run }
      })
  )

/** Starts of a script in a round: single ones scatter by a half. */
const startsInRound = 3

/** Starts a script several times and takes the median of its time to its end. */
const startTask = (
  runtime: Runtime,
  path: string,
  { id, kind }: Pick<Case, "id" | "kind">,
  [file = "", ...args]: ReadonlyArray<string>,
): Task => ({
  runtime,
  tool: id,
  kind,
  run: async () => {
    const times: Array<number> = []
    while (times.length < startsInRound) {
      const ended = await runChild(
        path,
        [...launch(runtime, file, false), ...args],
        60_000,
        false,
      )
      if (!ended.ok) return { values: null, error: errorOf(ended.stderr) }
      times.push(ended.ms)
    }
    return { values: { ms: median(times) } }
  },
})

const newest = (folder: string): number =>
  Math.max(
    ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(folder, name)).mtimeMs),
  )

/** Builds the package, unless it is newer than its sources, and installs it. */
const preparePackage = (): void => {
  buildPackage()
  installPackage(cache)
}

const buildPackage = (): void => {
  const built = statSync(join(root, "dist", "cli", "main.js"), { throwIfNoEntry: false })
    ?.mtimeMs ?? 0
  if (built > newest(join(root, "src"))) return
  const { status } = spawnSync(process.execPath, [
    join(root, "scripts", "build.mjs"),
  ], { cwd: root, stdio: "ignore" })
  if (status !== 0) {
    throw new Error("the package does not build: npm run build")
  }
}

/** The tasks of a row. */
export const tasksOf = (
  plan: Plan,
  options: Options,
  runtimes: Runtimes,
  writer: string,
): ReadonlyArray<Task> => {
  mkdirSync(cache, { recursive: true })
  const cases = (plan.cases ?? []).filter((each) => isWanted(options, each))
  switch (plan.by) {
    case "tools":
    case "cases":
      return measured(plan, options, runtimes, writer)
    case "imports": {
      // A build takes a good part of the three minutes of a check, which looks at the sources alone.
      if (!options.check) preparePackage()
      const files = new Map(
        prepareImports(cache).map(({ file, id }) => [id, file]),
      )
      return runtimes.flatMap(([runtime, path]) =>
        cases.flatMap((each) => {
          const file = files.get(each.id)
          return file === undefined ||
              (options.check && each.id.endsWith(":package"))
            ? []
            : [startTask(runtime, path, each, [file])]
        })
      )
    }
    case "cli": {
      preparePackage()
      const scripts: Readonly<Record<string, ReadonlyArray<string>>> = {
        empty: [join(import.meta.dirname, "entries", "imports", "empty.mjs")],
        sluice: [
          join(installedIn(cache), "dist", "cli", "main.js"),
          "run",
          "--",
          "/bin/true",
        ],
      }
      return runtimes.flatMap(([runtime, path]) =>
        cases.map((each) => startTask(runtime, path, each, scripts[each.id] ?? []))
      )
    }
    case "bundles":
      return cases.map(({ id, kind }) => ({
        runtime: "all",
        tool: id,
        kind,
        run: () =>
          bundleSize(id).then(
            (values) => ({ values }),
            (error) => ({ values: null, error: errorOf(String(error)) }),
          ),
      }))
  }
}
