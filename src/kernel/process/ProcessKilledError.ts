/** Declares the error that is thrown into the program of a process that has ended, to unwind it. */

/** Thrown into a process that has ended. Only the kernel catches it. */
export class ProcessKilledError extends Error {
  override readonly name = "Killed"
}

/** One shared instance: it carries no data, and a stack trace costs more than the call. */
export const processKilled: ProcessKilledError = new ProcessKilledError("kernel: this process has ended")
processKilled.stack = ""
