/** Runs `sluice` as a child process on the runtime of the tests, or within the test process on a fake `CliProcess`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { runCli } from "../../src/cli/runCli.ts"
import type { CliProcess, OutputFd } from "../../src/cli/CliProcess.ts"
import { denoProcess } from "../../src/cli/denoProcess.ts"
import { nodeProcess } from "../../src/cli/nodeProcess.ts"
import { eventually } from "../support/eventually.ts"

/** Bundled by bundleCli.ts, before the first test. */
const main = process.env["TEST_CLI_FILE"] ?? fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))

const before: ReadonlyArray<string> = "Deno" in globalThis
  ? ["run", "-A", "--quiet"]
  : "Bun" in globalThis
  ? []
  : ["--no-warnings"]

/** The words that start the command line, and the same as a line for a shell. */
export const sluiceWords: ReadonlyArray<string> = [process.execPath, ...before, main]
export const sluiceLine = sluiceWords.map((word) => `'${word}'`).join(" ")

export interface SluiceOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Text of stdin. Default: empty. */
  readonly input?: string
  /** Leaves stdin open after the input, until `endInput`. Default: `false`. */
  readonly keepsInputOpen?: boolean
}

/** A running command line. */
export interface Sluice {
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  readonly signal: (name: NodeJS.Signals) => void
  /** Stops and continues reading its stdout. */
  readonly pause: () => void
  readonly resume: () => void
  /** Closes its stdout: its next write fails. */
  readonly hangUp: () => void
  readonly endInput: () => void
  /** Whether the process has exited; its output may still be unread. */
  readonly hasEnded: () => boolean
  /** Its exit status, after all of its output has been read. */
  readonly status: Effect.Effect<number | string | undefined>
}

/** Starts the command line; it is killed with the scope. */
export const startSluice = (
  args: ReadonlyArray<string>,
  { cwd, env, input, keepsInputOpen = false }: SluiceOptions = {},
): Effect.Effect<Sluice, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const [program = "", ...words] = sluiceWords
      const child = spawn(program, [...words, ...args], {
        env: { ...process.env, ...env },
        ...(cwd === undefined ? undefined : { cwd }),
        stdio: ["pipe", "pipe", "pipe"],
      })
      const out: Array<Buffer> = []
      const err: Array<Buffer> = []
      child.stdout.on("data", (part) => out.push(part))
      child.stderr.on("data", (part) => err.push(part))
      child.stdin.on("error", () => {})
      child.stdin.write(input ?? "")
      if (!keepsInputOpen) child.stdin.end()
      let status: number | string | undefined
      let ended = false
      child.on("exit", () => {
        ended = true
      })
      child.on("close", (code, signal) => {
        status = code ?? signal ?? "?"
      })
      const text = (parts: ReadonlyArray<Buffer>): string => Buffer.concat(parts).toString("utf8")
      return {
        pid: child.pid ?? 0,
        stdout: () => text(out),
        stderr: () => text(err),
        signal: (name: NodeJS.Signals) => {
          // Not child.kill: Deno would then report the status of the signal instead of the real one.
          if (!ended && child.pid !== undefined) process.kill(child.pid, name)
        },
        pause: () => {
          child.stdout.pause()
        },
        resume: () => {
          child.stdout.resume()
        },
        hangUp: () => {
          child.stdout.destroy()
        },
        endInput: () => {
          child.stdin.end()
        },
        hasEnded: () => ended,
        status: Effect.map(eventually("the command line ends", () => status !== undefined), () => status),
      }
    }),
    (sluice) => Effect.sync(() => sluice.signal("SIGKILL")),
  )

export interface SluiceResult {
  readonly status: number | string | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line to its end. */
export const sluice = (args: ReadonlyArray<string>, options?: SluiceOptions): Effect.Effect<SluiceResult> =>
  Effect.scoped(Effect.gen(function* () {
    const running = yield* startSluice(args, options)
    const status = yield* running.status
    return { status, stdout: running.stdout(), stderr: running.stderr() }
  }))

/** A write to the fake process. */
export interface Written {
  readonly fd: OutputFd
  readonly text: string
}

/** Opens the files of the machine, for a fake process. */
export const openInput: CliProcess["openInput"] = (source) => {
  const own = denoProcess() ?? nodeProcess()
  return own === undefined ? Promise.reject(new Error("no runtime")) : own.openInput(source)
}

/** A fake process with these arguments that records its writes. */
export const fakeProcess = (args: ReadonlyArray<string>): CliProcess & { readonly written: Array<Written> } => {
  const written: Array<Written> = []
  return {
    args,
    written,
    variable: () => undefined,
    forget: () => {},
    isTerminal: () => false,
    columns: () => undefined,
    write: (fd, bytes) => {
      written.push({ fd, text: new TextDecoder().decode(bytes) })
      return Promise.resolve(bytes.length)
    },
    hasInput: () => false,
    openTerminal: () => undefined,
    openInput: () => Promise.reject(new Error("no input")),
    onSignal: () => {},
    exit: () => {},
  }
}

/** Runs a command line within this process. */
export const runInProcess = (
  ...args: ReadonlyArray<string>
): Effect.Effect<SluiceResult & { readonly status: number }> => runFakeProcess(fakeProcess(args))

/** Runs the command line of a fake process. */
export const runFakeProcess = (
  own: ReturnType<typeof fakeProcess>,
): Effect.Effect<SluiceResult & { readonly status: number }> =>
  Effect.callback((resume) => {
    const text = (fd: OutputFd): string =>
      own.written.filter((each) => each.fd === fd).map((each) => each.text).join("")
    runCli({ ...own, exit: (status) => resume(Effect.succeed({ status, stdout: text(1), stderr: text(2) })) })
  })
