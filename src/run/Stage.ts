/**
 * Declares one command of a run or pipeline, with its options, its line for messages, and the function that makes its
 * paths absolute.
 *
 * @module
 */
import type { ShellExec } from "../command/ShellExec.ts"
import type { RunOptions } from "./RunOptions.ts"

/** One command of a run. */
export interface Stage {
  readonly exec: ShellExec
  readonly options: RunOptions
  /** The command line, for messages. */
  readonly line: string
  /** Makes a path of its options absolute. */
  readonly resolve: (path: string) => string
}
