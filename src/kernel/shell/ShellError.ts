/**
 * What goes wrong within a shell, and how far it unwinds.
 *
 * @module
 */

/**
 * How far: the command fails, the rest of its line is left out too, or the shell ends. Bash leaves the rest of a line out
 * after a bad substitution, a division by zero and an assignment to what is read-only.
 */
export type Unwinds = "command" | "line" | "shell"

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
