/**
 * Type of a command that starts when it is awaited, iterated, streamed or started; without Effect.
 *
 * @module
 */
import type { RunEvent, RunResult } from "./RunResult.ts"

/**
 * A command, not yet started. It runs once, however often it is awaited and however its output is taken: `text()` and
 * `bytes()` of one value share a run. `await` answers with a {@link RunResult}, and rejects with
 *
 * - `ShellExitError` when the exit code is not 0 or a signal ended it, unless {@link LazyCommand.nothrow} or the
 *   option `check` says otherwise;
 * - `ShellFault` when it cannot be executed, times out or is cancelled.
 *
 * Output is either kept or streamed. `await`, `text()`, `json()`, `bytes()` and `arrayBuffer()` keep it (within
 * `maxOutputBytes`); `lines()`, `stream()` and `events()` give it as it comes, hold the command back while nobody reads,
 * and keep none. After one of the first, `lines()` and `stream()` give what was kept when the run is over; after one of
 * the others, the kept forms reject with a `TypeError`, and `await` still answers, with an empty `stdout`.
 *
 * @example
 * ```ts
 * import { $ } from "@sluice/shell/run"
 *
 * const { stdout } = await $`echo ${"hello world"}`
 * console.assert(stdout === "hello world\n")
 * const last = await $`seq 100`.pipe($`tail -n 1`).text()
 * console.assert(last === "100")
 * for await (const line of $`seq 3`) console.assert(line >= "1" && line <= "3")
 * const { ok } = await $`sh -c ${"exit 3"}`.nothrow()
 * console.assert(!ok)
 * ```
 */
export interface LazyCommand extends Promise<RunResult>, AsyncIterable<string> {
  /** The command for people, secrets as `<redacted>`: what `verbose` prints. */
  readonly command: string
  /** Joins the next command: it reads what this one writes. Ends early as SIGPIPE would when it stops reading. */
  pipe(next: LazyCommand, options?: { readonly pipefail?: boolean }): LazyCommand
  /** The same run, in which no exit code and no signal is an error. */
  nothrow(): LazyCommand
  /**
   * Starts the command now, and reads its output in the background until it is taken. Answers with the same value. A
   * failure is told to those who await, read or ask for `exited`.
   */
  start(): this
  /** The process id; of a pipeline, the last stage's. `undefined` before the process has been started. */
  readonly pid: number | undefined
  /** Resolves with the process id when the process has been started; rejects when it cannot be. Starts the command. */
  readonly spawned: Promise<number | undefined>
  /**
   * Signals the command. SIGTERM (the default) ends the whole tree: it is asked, and killed after `grace`; SIGKILL kills
   * the whole tree at once. Any other signal goes to the process itself (of a pipeline, to each). A command that waits
   * for its place is cancelled. Answers whether there was anything to signal.
   */
  kill(signal?: string): boolean
  /**
   * What is written here, the command reads. Ask for it before the command is started, or say `stdin: "pipe"`; close it
   * when all is written. Throws a `TypeError` when stdin is something else.
   */
  readonly stdin: WritableStream<Uint8Array | string>
  /** How the command ended, whatever its exit code. Starts the command. */
  readonly exited: Promise<RunResult>
  /** The whole stdout without its last line end. */
  text(): Promise<string>
  /** The whole stdout as JSON. Rejects with a `SyntaxError` when it is none. */
  json(): Promise<unknown>
  /** The whole stdout as it was written. */
  bytes(): Promise<Uint8Array>
  /** The whole stdout as it was written. */
  arrayBuffer(): Promise<ArrayBuffer>
  /** The lines of stdout as they come, without their ends. Leaving the loop ends the command. */
  lines(): AsyncIterable<string>
  /** The bytes of stdout as a Web stream: pulled, so that a slow reader slows the command. Cancelling ends it. */
  stream(): ReadableStream<Uint8Array>
  /** Both outputs as text in the order of arrival, and the end. Only of a command that was not started otherwise. */
  events(): AsyncIterable<RunEvent>
}
