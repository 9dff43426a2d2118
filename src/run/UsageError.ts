/** Defines the error of a command that is used in a way that its state does not allow. */

/**
 * A command was read, started or given away in a way that an earlier use of it does not allow; `message` says what to do
 * instead. `reason._tag` is
 *
 * - `"AlreadyStarted"`: it was started, or given to `terminal()` or `pipe()`, and a command runs once;
 * - `"OutputStreamed"`: its output was streamed, and is gone;
 * - `"NotOneCommand"`: a terminal runs one command, and this is a pipeline.
 *
 * @example
 * ```ts
 * import { $, UsageError } from "@sluice/shell/run"
 *
 * const command = $`echo hi`
 * for await (const line of command) console.log(line) // hi
 * const error = await command.text().catch((error: unknown) => error)
 * console.log(error instanceof UsageError && error.reason._tag) // OutputStreamed
 * ```
 */
export class UsageError extends TypeError {
  /** Distinguishes it from other errors. */
  readonly _tag = "UsageError"
  /** The class's name, for messages. */
  override readonly name: string = "UsageError"
  /** Why the command cannot be used so. */
  readonly reason: { readonly _tag: "AlreadyStarted" | "OutputStreamed" | "NotOneCommand" }
  /** The command line, secrets as `<redacted>`. */
  readonly command: string

  /** Made where a command is used. */
  constructor(reason: UsageError["reason"]["_tag"], command: string, message: string) {
    super(message)
    this.reason = { _tag: reason }
    this.command = command
  }
}
