/**
 * Declares the options of ending the routes of a server.
 *
 * @module
 */
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
