/** Declares a command on a terminal in `./run`: waits for its output and types into it; without types of Effect. */
import type { SecretText } from "./Argument.ts"
import type { RunDuration } from "./RunOptions.ts"
import type { RunResult } from "./RunResult.ts"

/**
 * A command on a terminal, as `expect` drives it. Screens and keys are in `@sluice/shell/terminal`.
 *
 * @stability experimental
 */
export interface ScriptTerminal extends AsyncDisposable {
  /**
   * Waits for a text or pattern in the output since the last `send`, without escape sequences. Resolves with the part that
   * matched. After the timeout (default: 30 s), or if the command ends first, rejects with an error whose
   * `_tag` is `TerminalWaitError` and whose `reason._tag` is `"Timeout"` or `"Ended"`; its message has the last output.
   */
  waitFor(pattern: string | RegExp, options?: { readonly timeout?: RunDuration | undefined }): Promise<string>
  /**
   * Types a text; `\n` is the Enter key. Waits until the terminal has taken it, at most 10 s after the texts of earlier
   * calls, which are typed in order.
   */
  send(text: string | SecretText): Promise<void>
  /** The output so far without escape sequences: the last million characters, or fewer with a smaller `maxOutputBytes`. */
  readonly output: string
  /** Resolves with the result of the command, whatever its exit code; `stdout` is empty. */
  readonly exited: Promise<RunResult>
  /** Ends the command with its whole process tree. */
  close(): Promise<void>
}
