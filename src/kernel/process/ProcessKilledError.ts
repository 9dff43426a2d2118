/**
 * What unwinds a process that has ended.
 *
 * @module
 */

/** Thrown in, and rejected to, a process that is no more. Only the kernel catches it. */
export class ProcessKilledError extends Error {
  override readonly name = "Killed"
}

/** One for all: it carries nothing, and a stack trace costs more than the call. */
export const processKilled: ProcessKilledError = new ProcessKilledError("kernel: this process has ended")
processKilled.stack = ""
