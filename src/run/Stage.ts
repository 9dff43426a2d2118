/** Declares one command of a run or pipeline. */
import type { ShellExec } from "../command/ShellExec.ts"
import type { ProcessRuns } from "../shell/ProcessLeaf.ts"
import type { RunOptions } from "./RunOptions.ts"

export type RunShell = Pick<ProcessRuns, "exec">

/** One command of a run. */
export interface Stage {
  readonly exec: ShellExec
  readonly options: RunOptions
  /** The command line, for messages. */
  readonly line: string
  /** Makes a path of its options absolute. */
  readonly resolve: (path: string) => string
}
