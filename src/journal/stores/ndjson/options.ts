/**
 * Settings of a journal in a file.
 *
 * @module
 */
import type { DurationInput } from "../../../base/duration.ts"
import type { Position } from "../../Entry.ts"

/** Settings of a journal in a file. */
export interface NdjsonOptions {
  /** The file. Relative paths start at the working directory that the process has when it is opened. */
  readonly path: string
  /**
   * `"write"` to append and read: one process at a time. `"read"` to read beside it: any number, and what another
   * process has written may not be on its disk yet. Default: `"write"`.
   */
  readonly mode?: "write" | "read" | undefined
  /** Whether the file, and its directory, are made when they are not there. Never when reading. Default: `true`. */
  readonly create?: boolean | undefined
  /** How long to wait while another process writes the file; then the error is `Locked`. Default: 0. */
  readonly lockTimeout?: DurationInput | undefined
  /** How often the file is looked at for what another process wrote, where the system does not tell. Default: 20 ms. */
  readonly pollInterval?: DurationInput | undefined
  /** Called when the end of the file was not whole and was cut. It is also logged, as a warning. */
  readonly onRepair?: ((report: NdjsonRepairReport) => void) | undefined
}

/** What was cut off the end of a file. */
export interface NdjsonRepairReport {
  /** The first position that was cut: the next entry gets it. */
  readonly position: Position
  /** How many bytes were cut. */
  readonly bytes: number
  /** The file that holds them now. */
  readonly kept: string
}
