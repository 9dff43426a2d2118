/** Defines the table of interpreters, its default, and the service that holds one. */
import * as Context from "effect/Context"

/** The command line that runs code of a language: `command ...args code`. */
export interface Interpreter {
  /** The program: a name in PATH, or a path. */
  readonly command: string
  /** Arguments before the code, which is the last argument: `["-c"]`. */
  readonly args: ReadonlyArray<string>
  /**
   * Arguments with which the program reads code from stdin, for code that is too long for an argument. Default: such
   * code is refused.
   */
  readonly stdinArgs?: ReadonlyArray<string> | undefined
  /**
   * Prefix of code that is empty or starts with `-`, where the program would parse it as an option: a space, for
   * example. Default: none.
   */
  readonly lead?: string | undefined
}

/** Interpreters by language. */
export type InterpreterTable = Readonly<Record<string, Interpreter>>

/** Python parses a script from stdin in small pieces: 1 MiB took five times as long as read at once. */
const wholeStdin = 'exec(compile(__import__("sys").stdin.buffer.read(), "<stdin>", "exec"))'

/**
 * The default languages: `bash`, `javascript` (node), `python` (python3), `bun`, `deno`, `perl`, `ruby`, `typescript`
 * (deno; types are stripped, not checked).
 *
 *   - `python` runs with `-u`, so that output before a timeout is not lost in a buffer.
 *   - `deno` and `typescript` run with all permissions, as the other interpreters do.
 *
 * @example
 * ```ts
 * import * as Code from "@sluice/shell/code"
 *
 * console.log(Code.interpreters["python"]?.command) // python3
 * ```
 */
export const interpreters: InterpreterTable = {
  // `--`: code may start with a dash. Bash reads a script from stdin piece by piece, and its commands would read the
  // rest: so all of it is read first.
  bash: { command: "bash", args: ["-c", "--"], stdinArgs: ["-c", 'eval "$(cat)"'] },
  javascript: { command: "node", args: ["-e"], stdinArgs: ["-"], lead: " " },
  python: { command: "python3", args: ["-u", "-c"], stdinArgs: ["-u", "-c", wholeStdin] },
  bun: { command: "bun", args: ["-e"], stdinArgs: ["run", "-"], lead: " " },
  deno: { command: "deno", args: ["eval", "--"], stdinArgs: ["run", "-A", "-"] },
  perl: { command: "perl", args: ["-e"], stdinArgs: ["-"] },
  ruby: { command: "ruby", args: ["-e"], stdinArgs: ["-"] },
  typescript: { command: "deno", args: ["eval", "--ext=ts", "--"], stdinArgs: ["run", "-A", "--ext=ts", "-"] },
}

/**
 * The table of interpreters: a service with the default {@link interpreters}.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const shout = { command: "sh", args: ["-c", 'echo "$0" | tr a-z A-Z'] }
 * const program = Code.run({ language: "shout", code: "hello" }).pipe(
 *   Effect.provideService(Code.Interpreters, { ...Code.interpreters, shout }),
 *   Effect.provide(LocalShell.layer),
 * )
 * console.log((await Effect.runPromise(program)).stdout) // HELLO
 * ```
 */
export const Interpreters: Context.Reference<InterpreterTable> = Context.Reference<InterpreterTable>(
  "@sluice/shell/code/Interpreters",
  { defaultValue: () => interpreters },
)
