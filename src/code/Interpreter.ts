/**
 * Maps languages to the programs that run them.
 *
 * @module
 */
import * as Context from "effect/Context"

/** How code of a language is run: `command ...args code`. A value: make your own for whatever takes code. */
export interface Interpreter {
  /** The program. A name is looked for in PATH, and a path is taken as it is. */
  readonly command: string
  /** Arguments before the code, which is the last one: `["-c"]`. */
  readonly args: ReadonlyArray<string>
  /**
   * Arguments with which it reads code from stdin instead, for code that is longer than one argument can be. Default:
   * it cannot, and longer code is refused.
   */
  readonly stdinArgs?: ReadonlyArray<string> | undefined
  /**
   * What goes before code that is empty or begins with `-` where the program would take that for another option, such
   * as a space in a language that does not mind it. Default: nothing.
   */
  readonly lead?: string | undefined
}

/** Interpreters by the name of their language. */
export type InterpreterTable = Readonly<Record<string, Interpreter>>

/** Python parses a script on stdin as it reads it, in small pieces: 1 MiB took five times as long as read at once. */
const wholeStdin = 'exec(compile(__import__("sys").stdin.buffer.read(), "<stdin>", "exec"))'

/**
 * The languages that are known at first: `bash`, `javascript` (node), `python` (python3), and `bun`, `deno`, `perl`,
 * `ruby`, `typescript` (deno; types are taken off and not checked).
 *
 * - `python` runs with `-u`: what was printed before a timeout is then there to be returned.
 * - `deno` and `typescript` run with all permissions, as everything else does.
 *
 * Source: exec Architecture, "Language Mapping".
 */
export const interpreters: InterpreterTable = {
  // The first three as the document has them. `--`: code may begin with a dash.
  // Bash reads a script on stdin piece by piece, and its commands would eat the rest: so the whole of it first.
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
 * The languages that code may be in: a service with a default, {@link interpreters}.
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
 * console.assert((await Effect.runPromise(program)).stdout === "HELLO\n")
 * ```
 */
export const Interpreters: Context.Reference<InterpreterTable> = Context.Reference<InterpreterTable>(
  "@sluice/shell/code/Interpreters",
  { defaultValue: () => interpreters },
)
