/** Declares the options of disposing of the routes of a server: the time for running commands to end. */
import type { DurationInput } from "../base/duration.ts"

/**
 * Options of `dispose`.
 *
 * @stability stable
 */
export interface DisposeOptions {
  /** Time for running commands to end by themselves before they are ended, each with its grace period. Default: 0. */
  readonly drain?: DurationInput | undefined
}
