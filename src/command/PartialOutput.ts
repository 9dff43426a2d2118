/** Declares the output that was captured before a fault. */

/**
 * Output that was captured before a fault, within the budget, with its sizes in bytes.
 *
 * @stability experimental
 */
export interface PartialOutput {
  /** Text that was written to stdout. */
  readonly stdout: string
  /** Text that was written to stderr. */
  readonly stderr: string
  /** Bytes that were written to stdout. */
  readonly stdoutBytes: number
  /** Bytes that were written to stderr. */
  readonly stderrBytes: number
  /** Number of bytes of `stdoutBytes` that are not in `stdout`. */
  readonly stdoutBytesOmitted: number
  /** Number of bytes of `stderrBytes` that are not in `stderr`. */
  readonly stderrBytesOmitted: number
}

/**
 * The partial output of a command that wrote nothing.
 *
 * @example
 * ```ts
 * import { noOutput } from "@sluice/shell/leaf"
 *
 * console.log(noOutput.stdout === "" && noOutput.stderrBytes) // 0
 * ```
 */
export const noOutput: PartialOutput = {
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
}
