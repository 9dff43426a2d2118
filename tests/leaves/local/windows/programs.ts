/**
 * Programs for the promises of the Windows leaf: scripts that the runtime itself runs, and batch files.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"

/** Which runtime this is. */
export const runtime = "Deno" in globalThis ? "deno" : "Bun" in globalThis ? "bun" : "node"

/** The runtime as a command: what stands before a script. */
export const scriptPrefix: readonly [program: string, ...args: ReadonlyArray<string>] = runtime === "deno"
  ? [process.execPath, "run", "-A", "--no-config"]
  : [process.execPath]

/** Whether kernel32.dll can be called: Node has no way to. */
export const hasJobs = runtime !== "node"

const sources = {
  "argv.cjs": `process.stdout.write(JSON.stringify(process.argv.slice(2)))`,
  "stdin.cjs": `process.stdin.pipe(process.stdout)`,
  "lines.cjs": `let text = ""; for (let i = 0; i < 20000; i++) text += "line " + i + "\\n"; process.stdout.write(text)`,
  // For two minutes at most, so that nothing stays behind.
  "beat.cjs": `
    const fs = require("node:fs")
    let count = 0
    const timer = setInterval(() => {
      if (++count > 4000 || fs.existsSync(__dirname + "/stop")) return clearInterval(timer)
      fs.appendFileSync(process.argv[2], ".")
    }, 30)`,
}

/** The runtime as it stands before a script in a batch file. */
export const scriptCommand: string = scriptPrefix.map((word) => `"${word}"`).join(" ")

const batches = {
  "args.cmd": `@${scriptCommand} "%~dp0argv.cjs" %*`,
  // The root is cmd.exe, and the program that writes its child.
  "tree.cmd": `@echo started\r\n@${scriptCommand} "%~dp0beat.cjs" %1 <nul`,
  // The root reads a line, if there is any, and goes. Its child holds the pipes.
  "left.cmd": `@set /p line=\r\n@echo started\r\n@start /b "" ${scriptCommand} "%~dp0beat.cjs" %1 <nul`,
}

/** A directory with the programs in it. */
export interface Bench {
  readonly directory: string
  readonly path: (name: string) => string
  readonly write: (name: string, text: string) => string
  /** The size of a file, 0 while it is not there. */
  readonly size: (name: string) => number
  readonly read: (name: string) => string
}

const make = (): Bench => {
  const directory = mkdtempSync(join(tmpdir(), "sluice-"))
  const path = (name: string): string => join(directory, name)
  const write = (name: string, text: string): string => {
    writeFileSync(path(name), text)
    return path(name)
  }
  for (const [name, text] of Object.entries({ ...sources, ...batches })) write(name, text)
  mkdirSync(path("folder.exe"))
  return {
    directory,
    path,
    write,
    size: (name) => statSync(path(name), { throwIfNoEntry: false })?.size ?? 0,
    read: (name) => readFileSync(path(name), "utf8"),
  }
}

/** A directory of the promise's own, gone with its scope. */
export const bench: Effect.Effect<Bench, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(make),
  ({ directory, write }) =>
    Effect.gen(function* () {
      // Windows keeps a directory while a file in it is open.
      write("stop", "")
      yield* Effect.sync(() => rmSync(directory, { recursive: true, force: true })).pipe(
        Effect.catchDefect(Effect.fail),
        Effect.retry({ times: 40, schedule: Schedule.spaced("100 millis") }),
        Effect.orDie,
      )
    }),
)
