/**
 * Error for a command line that cannot be run as written.
 *
 * @module
 */

/** Something is wrong with what was written, not with the command. The message is one line. */
export class UsageError {
  readonly _tag = "UsageError" as const
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}
