/** Declares the error of a shell, with the construct that it unwinds to, and converts other exceptions to it. */
import { ProcessKilledError } from "../process/ProcessKilledError.ts"

/**
 * The construct that an error ends. Bash skips the rest of a line after a bad substitution, a division by zero and a read-only
 * variable.
 */
export type UnwindScope = "command" | "line" | "shell"

/** Converts an exception to a shell error; an unexpected exception fails the line, not the process. */
export const shellErrorOf = (thrown: unknown): ShellError => {
  if (thrown instanceof ShellError) return thrown
  if (thrown instanceof ProcessKilledError) throw thrown
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
  return new ShellError(`internal error: ${text}`, "line", 125)
}

export class ShellError extends Error {
  readonly unwinds: UnwindScope
  readonly exitCode: number

  constructor(message: string, unwinds: UnwindScope = "command", exitCode = 1) {
    super(message)
    this.unwinds = unwinds
    this.exitCode = exitCode
  }
}
