/**
 * Declares the types of an explained command and of the decision about it.
 *
 * @module
 */

/**
 * A policy's decision about a command.
 *
 * - `Allowed`: it runs; `path` is the program that would start.
 * - `Contained`: it runs in the shell's own process, and reaches what the script reaches.
 * - `Builtin`: a builtin of the shell, or a function of the script, whose commands are listed where they stand.
 * - `Refused`: the run ends with this message.
 * - `Missing`: it is allowed, and there is no such program, or it may not be executed.
 * - `Unknown`: it depends on values that are known only when it runs.
 *
 * @example
 * ```ts
 * import type { CommandDecision } from "@sluice/shell/access"
 *
 * const isSure = ({ _tag }: CommandDecision): boolean => _tag !== "Refused" && _tag !== "Unknown"
 * console.log(isSure({ _tag: "Allowed", path: "/usr/bin/git" })) // true
 * ```
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
 * @example
 * ```ts
 * import type { ExplainedCommand } from "@sluice/shell/access"
 *
 * const command: ExplainedCommand = {
 *   command: "git status",
 *   position: { line: 3, column: 1 },
 *   decision: { _tag: "Allowed", path: "/usr/bin/git" },
 * }
 * console.log(command.position?.line) // 3
 * ```
 *
 * @stability experimental
 */
export interface ExplainedCommand {
  /** Its text in the script, or the words of a command with arguments; of a redirection the redirection. */
  readonly command: string
  /** Where it stands in the script, both from 1. */
  readonly position: { readonly line: number; readonly column: number } | undefined
  /** The decision of a run. */
  readonly decision: CommandDecision
}
