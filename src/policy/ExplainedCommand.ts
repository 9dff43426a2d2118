/** Declares the types of an explained command and of the decision about it. */

/**
 * A policy's decision about a command.
 *
 * - `Allowed`: it runs; `path` is the program that would start.
 * - `Contained`: it runs in the shell's own process, with the script's access to files.
 * - `Builtin`: a builtin of the shell, or a function of the script, whose commands are listed where they stand.
 * - `Refused`: the run ends with this message.
 * - `Missing`: it is allowed, but there is no such program, or the file is not executable.
 * - `Unknown`: it depends on values that are known only at run time.
 *
 * @stability experimental
 */
export type CommandDecision =
  | { readonly _tag: "Allowed"; readonly path: string }
  | { readonly _tag: "Contained" }
  | { readonly _tag: "Builtin" }
  | { readonly _tag: "Refused"; readonly message: string }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Unknown" }

/**
 * A command and the decision about it.
 *
 * @stability experimental
 */
export interface ExplainedCommand {
  /** Its text in the script, or the words of a command with arguments; of a redirection the redirection. */
  readonly command: string
  /** Position in the script, both from 1. */
  readonly position: { readonly line: number; readonly column: number } | undefined
  /** The decision of a run. */
  readonly decision: CommandDecision
}
