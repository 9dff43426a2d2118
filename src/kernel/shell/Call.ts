/** Declares the records of a running shell: calls, functions, background jobs and pending jumps. */
import type { CompoundCommand } from "../../shell-language/SyntaxTree.ts"
import type { Pid } from "../System.ts"
import type { ScriptSource } from "./ScriptSource.ts"

/** A `break`, `continue`, `return` or `exit` that has not reached its loop, its function or the end of the shell. */
export interface PendingJump {
  readonly kind: "break" | "continue" | "return" | "exit"
  /** Number of loops; 1 for `return` and `exit`. */
  readonly count: number
}

/** A function and the script that defines it. */
export interface ShellFunction {
  readonly name: string
  readonly body: CompoundCommand
  readonly source: ScriptSource
}

/** A call that has not returned: of a function, of `source`, or of the script itself (`main`). */
export interface Call {
  readonly kind: "function" | "source" | "main"
  readonly name: string
  /** The name of the script that defines the called commands: {@link ScriptSource.name}. */
  readonly source: string
  readonly line: number
  readonly outer: Call | undefined
  readonly functionDepth: number
  /** The options to restore on return: `local -`. */
  options: ReadonlySet<string> | undefined
}

export interface Job {
  readonly number: number
  readonly pid: Pid
  readonly text: string
  exitCode: number | undefined
}
