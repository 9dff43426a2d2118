/**
 * Declares how long running commands may go on when the routes of a server are disposed of.
 *
 * @module
 */
import type { DurationInput } from "../base/duration.ts"

/**
 * Options of `dispose`.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { type DisposeOptions, shellRoutes } from "@sluice/shell/http"
 *
 * const options: DisposeOptions = { drain: "30 seconds" }
 * const server = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * await server.dispose(options) // nothing runs: returns at once
 * ```
 *
 * @stability stable
 */
export interface DisposeOptions {
  /** How long running commands may take to end by themselves before they are ended, each with its grace. Default: 0. */
  readonly drain?: DurationInput | undefined
}
