/** Declares `LazyCommand`, without types of Effect. */
import type { TemplateArgument } from "./Argument.ts"
import type { RunEvent, RunResult } from "./RunResult.ts"
import type { StandardSchema } from "./StandardSchema.ts"
import type { ScriptTerminal } from "./ScriptTerminal.ts"

/**
 * A command that is not started yet. It runs once, however often it is awaited and in whatever form its output is read:
 * `text()` and `bytes()` of one value share a run. Once it was given to `terminal()` or `pipe()`, everything else rejects with
 * a `UsageError`. `await` resolves with a {@link RunResult}, and rejects with
 *
 * - `ShellExitError` if the exit code is not 0 or a signal ended it, unless {@link LazyCommand.nothrow} or the option
 *   `check` accepts it;
 * - `ShellFault` if it cannot be executed, times out or is cancelled.
 *
 * Output is either kept or streamed. `await`, `text()`, `json()`, `bytes()` and `arrayBuffer()` keep it (within
 * `maxOutputBytes`); `lines()`, `stream()` and `events()` stream it, hold the command back while nothing is read, and
 * keep none. After output was kept, `lines()` and `stream()` give it at the end of the run. After output was streamed,
 * the forms that keep it reject with a `UsageError`; `await` still resolves, with an empty `stdout`.
 */
export interface LazyCommand extends Promise<RunResult>, AsyncIterable<string> {
  /** The command line with secrets as `<redacted>`, as `verbose` prints it. */
  readonly command: string
  /**
   * Connects stdout to the stdin of the next command. If the next command stops reading, this one ends as by SIGPIPE.
   */
  pipe(next: LazyCommand, options?: { readonly pipefail?: boolean | undefined }): LazyCommand
  /** As above, with a template: `` $`ls`.pipe`wc -l` ``. */
  pipe(strings: TemplateStringsArray, ...values: ReadonlyArray<TemplateArgument>): LazyCommand
  /** The same run, with no exit code and no signal as an error. */
  nothrow(): LazyCommand
  /**
   * Starts the command now and keeps its output until it is read. Returns the same value. A failure is reported by
   * `await`, by reading and by `exited`.
   */
  start(): this
  /**
   * Starts the command on a terminal, to be driven as by `expect`. Rejects with a `ShellFault` that names what to
   * install where there is no terminal (`ENOTSUP`), and with an `OptionError` for options of its stdin and outputs, which
   * the terminal replaces. Default: 80 columns, 24 rows, `TERM=xterm-256color`. Only for a single command that has not
   * been started in another way.
   */
  terminal(
    options?: {
      readonly cols?: number | undefined
      readonly rows?: number | undefined
      readonly term?: string | undefined
    },
  ): Promise<ScriptTerminal>
  /** The process id; for a pipeline, the last stage's. `undefined` before the process is started. */
  readonly pid: number | undefined
  /** Starts the command. Resolves with the process id once the process is started; rejects if that fails. */
  readonly spawned: Promise<number | undefined>
  /**
   * Signals the command. SIGTERM (the default) ends the whole process tree, with SIGKILL after `grace`; SIGKILL kills
   * the whole tree at once. Other signals go to the process itself (in a pipeline, to each). A command that waits for a
   * concurrency permit is cancelled by SIGTERM, SIGINT, SIGHUP, SIGQUIT and SIGKILL. Returns whether there was anything to
   * signal.
   */
  kill(signal?: string): boolean
  /**
   * The writing end of stdin; the first write starts the command. Take it before the start, or give `stdin: "pipe"`; close
   * it at the end. Throws an `OptionError` if the options set another stdin, a `UsageError` if it was closed at the start.
   */
  readonly stdin: WritableStream<Uint8Array | string>
  /** Starts the command. Resolves with its result, whatever its exit code. */
  readonly exited: Promise<RunResult>
  /** The whole stdout without a final line end. */
  text(): Promise<string>
  /**
   * The whole stdout parsed as JSON, and decoded by a Standard Schema (zod, valibot, Effect) if one is given. Without a
   * schema the type of `json<Type>()` is not checked. Rejects with an `OutputError`.
   */
  json<A = unknown>(schema?: StandardSchema<A>): Promise<A>
  /** The bytes of the whole stdout. Rejects with an `OutputError` if it exceeds `maxOutputBytes`. */
  bytes(): Promise<Uint8Array>
  /** The bytes of the whole stdout. */
  arrayBuffer(): Promise<ArrayBuffer>
  /**
   * The lines of stdout as they arrive, without line ends. Leaving the loop ends the command. Rejects with an `OutputError` for
   * a line that exceeds `maxOutputBytes`.
   */
  lines(): AsyncIterable<string>
  /** The bytes of stdout as a Web stream. A slow reader slows the command down; cancelling the stream ends it. */
  stream(): ReadableStream<Uint8Array>
  /**
   * Text of both outputs in the order of arrival, then the end. Leaving the loop before it ends the command. Only for a
   * command that has not been started in another way, and whose outputs are pipes.
   */
  events(): AsyncIterable<RunEvent>
}
