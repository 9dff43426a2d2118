/**
 * Runs the suites of Windows on Linux: bundled, and run by the Windows program of a runtime under Wine.
 */
import { spawn } from "node:child_process"
import { closeSync, copyFileSync, cpSync, linkSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { findRuntime, type RuntimeName } from "../../../../scripts/runtimes.mjs"
import { openWine, windowsProgram, windowsTerminals } from "../../../../scripts/wine.mjs"

const branch = Schema.Literals(["shells", "files"])
const texts = Schema.Record(Schema.String, Schema.String)

const Ran = Schema.Struct({
  title: Schema.String,
  failure: Schema.optionalKey(Schema.String),
  millis: Schema.Finite,
  /** What docs/leaves.md is made of. */
  records: Schema.Array(Schema.Union([
    Schema.Struct({ branch, leaf: Schema.String, part: Schema.String }),
    Schema.Struct({ branch, leaf: Schema.String, declared: texts, leftOut: texts }),
  ])),
})

/** What became of a test. */
export type Ran = typeof Ran.Type

const decodeLine = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Union([Ran, Schema.Struct({ collected: Schema.Finite })])),
)

/** A suite for Windows, by the name of its file. */
export type WindowsSuite = "main" | "contract" | "files" | "program"

/** What a run printed. */
export interface SuiteRun {
  readonly tests: ReadonlyMap<string, Ran>
  /** How many tests the suite has; `undefined` if it was not run to its end. */
  readonly collected: number | undefined
  readonly output: string
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const exports: Readonly<Record<string, string>> =
  JSON.parse(readFileSync(here("../../../../deno.json"), "utf8")).exports

/** The package by its own name, longer names first. */
const alias = Object.fromEntries(
  Object.entries(exports)
    .map(([subpath, file]) => [`@sluice/shell${subpath.slice(1)}`, here(`../../../../${file}`)] as const)
    .sort(([a], [b]) => b.length - a.length),
)

const bundle = async (name: string, directory: string, source = `./${name}.ts`): Promise<string> => {
  const build = await rolldown({
    input: { [name]: here(source) },
    platform: "node",
    resolve: { alias },
    // Optional peers, which have files of their own.
    external: [/^(?:ssh2|zigpty|@lydell\/|@ai-sdk\/)/],
    logLevel: "silent",
  })
  // Files of its own for what is loaded on demand, with which programs start faster.
  await build.write({
    dir: directory,
    entryFileNames: "[name].mjs",
    chunkFileNames: `${name}-[hash].mjs`,
    format: "esm",
  })
  await build.close()
  return join(directory, `${name}.mjs`)
}

/** What Wine prints when its server dies: everything in there hangs from then on. */
const serverCrashed = "wineserver crashed"

/** A long run (`SLUICE_ROUNDS=32`) may take an hour. */
const patience = Number(process.env["SLUICE_ROUNDS"] ?? 0) > 1 ? 15 : 1

/** A suite says more at each test that ends; the slowest takes 20 s on one busy core. */
const maxSilenceMillis = patience * 90_000

/**
 * Starts a program with its output in files: what Node calls a pipe is a socket, and node.exe takes none for its stdout. What
 * Wine itself says goes to stderr, at any time: in one file it cuts lines of the suite.
 */
const runToEnd = async ([program = "", ...args]: ReadonlyArray<string>, log: string): Promise<string> => {
  const logs = [log, `${log}.stderr`]
  for (const path of logs) rmSync(path, { force: true })
  const files = logs.map((path) => openSync(path, "a"))
  const output = (): string => logs.map((path) => readFileSync(path, "utf8")).join("\n")
  const ended = await new Promise<number | string>((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ["ignore", ...files],
      timeout: patience * 240_000,
      killSignal: "SIGKILL",
    })
    let [said, since] = [0, performance.now()]
    const look = setInterval(() => {
      const text = output()
      if (text.length !== said) [said, since] = [text.length, performance.now()]
      const isStalled = performance.now() - since > maxSilenceMillis
      if (isStalled || text.includes(serverCrashed)) child.kill("SIGKILL")
    }, 1_000)
    child.on("error", reject)
    child.on("exit", (code, signal) => resolve(signal ?? code ?? ""))
    child.on("close", () => clearInterval(look))
  })
  for (const file of files) closeSync(file)
  return `${output()}\nended: ${ended}`
}

/** Names of the programs of POSIX that the contract starts. */
const posixNames = ["cat", "echo", "env", "ls", "printf", "true"]

/** Makes posixPrograms.ts a Windows program, in `C:\\posix` under all its names. */
const installPosixPrograms = async (directory: string): Promise<void> => {
  const folder = join(directory, "prefix", "drive_c", "posix")
  mkdirSync(folder)
  const shell = join(folder, "sh.exe")
  const [bun = "", runtime] = [findRuntime("bun", here("../../../../")), windowsProgram("bun")]
  const flags = ["--compile", "--minify", "--bytecode", "--target=bun-windows-x64"]
  const source = await bundle("posixPrograms", directory)
  const command = [bun, "build", ...flags, `--compile-executable-path=${runtime}`, source, "--outfile", shell]
  const output = await runToEnd(command, join(directory, "log"))
  try {
    for (const name of posixNames) linkSync(shell, join(folder, `${name}.exe`))
  } catch (cause) {
    throw new Error(`no sh.exe: ${output}`, { cause })
  }
}

/** Installs the package of terminals, as npm does on Windows. */
const installTerminals = (directory: string): void => {
  const folder = join(directory, "node_modules", "@lydell")
  cpSync(here("../../../../node_modules/@lydell/node-pty"), join(folder, "node-pty"), { recursive: true })
  cpSync(windowsTerminals(), join(folder, "node-pty-win32-x64"), { recursive: true })
}

/** How often a suite is started again whose Wine crashed: that says nothing of Sluice. */
const crashes = 2

/** Runs the tests of a suite whose titles contain one of `wanted`, or all. */
export const runUnderWine = async (
  runtime: RuntimeName,
  suite: WindowsSuite,
  wanted: ReadonlyArray<string> = [],
): Promise<SuiteRun> => {
  for (let crashed = 0;; crashed++) {
    const run = await runOnce(runtime, suite, wanted)
    if (crashed === crashes || !run.output.includes(serverCrashed)) return run
    console.warn(`Wine's server crashed while ${suite}.ts ran on ${runtime}.exe; once more`)
  }
}

const runOnce = async (
  runtime: RuntimeName,
  suite: WindowsSuite,
  wanted: ReadonlyArray<string>,
): Promise<SuiteRun> => {
  const wine = openWine()
  try {
    copyFileSync(await bundle(suite, wine.directory), join(wine.directory, "suite.mjs"))
    if (suite === "main") {
      await bundle("parent", wine.directory)
      installTerminals(wine.directory)
    }
    if (suite === "program") await bundle("sluice", wine.directory, "../../../../src/cli/main.ts")
    if (suite === "contract") await installPosixPrograms(wine.directory)
    const flags = runtime === "deno" ? ["run", "-A", "--no-config"] : []
    const output = await runToEnd(
      wine.command(runtime, [...flags, "suite.mjs", ...wanted]),
      join(wine.directory, "log"),
    )
    const lines = output.split("\n").flatMap((line) => Option.toArray(decodeLine(line)))
    const tests = new Map<string, Ran>()
    let collected: number | undefined
    for (const line of lines) {
      if ("collected" in line) collected = line.collected
      else tests.set(line.title, line)
    }
    return { tests, collected, output }
  } finally {
    wine.close()
  }
}
