/** Declares the error for a command line that cannot be run as written. */

/** An error in the command line itself, not in the command that it runs. The message is one line. */
export class UsageError extends Error {
  readonly _tag = "UsageError"
  override readonly name = "UsageError"
}
