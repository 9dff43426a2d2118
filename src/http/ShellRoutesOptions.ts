/**
 * Declares the options and the result of `shellRoutes`.
 *
 * @module
 */
import type { Hono } from "hono"
import type { BlankEnv } from "hono/types"
import type { DurationInput } from "../base/duration.ts"
import type { TokenAccess } from "../auth/TokenAccess.ts"
import type { ShellApi } from "./ShellApi.ts"
import type { CorsOptions, DisposeOptions, SharedServices } from "../server/Server.ts"
import type { JournalSource, PolicySource, ShellSource } from "./lazyServices.ts"

/**
 * Limits of the routes.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes, type ShellRoutesLimits } from "@sluice/shell/http"
 *
 * const limits: ShellRoutesLimits = { maxConcurrent: 8, maxBodyBytes: 65_536, bodyTimeout: "5 seconds" }
 * await using server = shellRoutes({ layer: LocalShell.layer, token: "s3cret", ...limits })
 * console.assert((await server.request("/health")).status === 200)
 * ```
 *
 * @stability stable
 */
export interface ShellRoutesLimits {
  /** Maximum size of the body of a command, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** Maximum time in which such a body has to arrive. Default: 30 s. */
  readonly bodyTimeout?: DurationInput | undefined
  /** Maximum size of the headers, names and values, in bytes. Default: 16 KiB. Runtimes have limits of their own. */
  readonly maxHeaderBytes?: number | undefined
  /**
   * Maximum of bytes of each output that a run keeps in memory; caps the `maxOutputBytes` of a command. Default: 64 MiB
   * for commands with `maxOutputBytes`, else the budget of the leaf.
   */
  readonly maxOutputBytes?: number | undefined
  /**
   * Maximum of commands that run, or wait for the leaf, at once; further ones are refused with 429. Default: no limit.
   */
  readonly maxConcurrent?: number | undefined
  /** Maximum of unread output of a command with `disconnectGraceMillis`, in UTF-16 code units. Default: 1,048,576. */
  readonly maxAhead?: number | undefined
  /** Value of `Retry-After` for throttled clients, rounded up to whole seconds. Default: 1 s. */
  readonly retryAfter?: DurationInput | undefined
  /** Silence after which readers of events are sent keep-alive bytes that are not an event. Default: 15 s. */
  readonly keepAlive?: DurationInput | undefined
  /** Web pages of other origins that may use the routes. Default: none. */
  readonly cors?: CorsOptions | undefined
}

/**
 * Options of `shellRoutes`: the shell, the journal, the policy, the tokens and the limits.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes, type ShellRoutesOptions } from "@sluice/shell/http"
 *
 * const options: ShellRoutesOptions = {
 *   layer: LocalShell.layer,
 *   token: "s3cret",
 *   maxConcurrent: 16,
 *   maxBodyBytes: 65_536,
 *   cors: { origins: ["https://console.example"] },
 * }
 * await using server = shellRoutes(options)
 * console.assert((await server.request("/health")).status === 200)
 * ```
 *
 * @stability stable
 */
export type ShellRoutesOptions = ShellSource & JournalSource & PolicySource & TokenAccess & ShellRoutesLimits

/**
 * A Hono app with the routes. For a typed client use `hc<ShellRoutes>(url)` of `hono/client`.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 *
 * const server = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * await server.start()
 * console.assert((await server.request("/health")).status === 200)
 * await server.dispose({ drain: "1 second" })
 * console.assert((await server.request("/health")).status === 503)
 * ```
 *
 * @stability stable
 */
export interface ShellRoutes extends Hono<BlankEnv, ShellApi, "/"> {
  /**
   * Builds the layers now, and starts to end the commands that a lost server has left in the journal. Otherwise the
   * first request does. Rejects when a layer cannot be built, or the shell cannot enforce the policy.
   */
  readonly start: () => Promise<void>
  /** Services for other routes of the same server: see the option `server` of `mcpRoutes`. */
  readonly sharedServices: SharedServices
  /**
   * Starts no more commands (503), lets running ones go on for `drain`, ends the rest, and releases the layers. Later
   * requests get 503.
   */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
  /** `dispose()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
