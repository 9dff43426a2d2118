/** Declares how long running commands may go on when the routes of a server are disposed of. */
import type { DurationInput } from "../base/duration.ts"

/**
 * Options of `dispose`.
 *
 * @stability stable
 */
export interface DisposeOptions {
  /** How long running commands may take to end by themselves before they are ended, each with its grace. Default: 0. */
  readonly drain?: DurationInput | undefined
}
