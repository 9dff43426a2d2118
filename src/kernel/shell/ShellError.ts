/**
 * What goes wrong within a shell, and how far it unwinds.
 *
 * @module
 */

import { ProcessKilledError } from "../process/ProcessKilledError.ts"

/**
 * How far: the command fails, the rest of its line is left out too, or the shell ends. Bash leaves the rest of a line out
 * after a bad substitution, a division by zero and an assignment to what is read-only.
 */
export type Unwinds = "command" | "line" | "shell"

/** A shell error of whatever was thrown: what the shell itself did not foresee fails the command, not the process. */
export const shellErrorOf = (thrown: unknown): ShellError => {
  if (thrown instanceof ShellError) return thrown
  if (thrown instanceof ProcessKilledError) throw thrown
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  return new ShellError(`internal error: ${text}`, "line", 125)
}

/** An error that a shell reports in its own words. */
export class ShellError extends Error {
  readonly unwinds: Unwinds
  readonly exitCode: number

  constructor(message: string, unwinds: Unwinds = "command", exitCode = 1) {
    super(message)
    this.unwinds = unwinds
    this.exitCode = exitCode
  }
}
