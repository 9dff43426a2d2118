/** Declares the options and the result of `shellRoutes`, refuses unknown options, and resolves the limits. */
import type { Hono } from "hono"
import type { BlankEnv } from "hono/types"
import type { UpgradeWebSocket } from "hono/ws"
import * as Duration from "effect/Duration"
import { type DurationInput, millisOf, positiveMillisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import type { TokenAccess } from "../auth/TokenAccess.ts"
import type { Shell } from "../shell/Shell.ts"
import type { ShellApi } from "./ShellApi.ts"
import type { DisposeOptions } from "../server/DisposeOptions.ts"
import type { SharedServices } from "../server/SharedServices.ts"
import type { CorsOptions } from "../server/makeCors.ts"
import type { JournalSource, PolicySource, ServiceSource } from "./lazyServices.ts"

/**
 * Limits of the routes.
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
   * Maximum bytes of each output that a run keeps in memory; caps the `maxOutputBytes` of a command. Default: 64 MiB
   * for commands with `maxOutputBytes`, else the budget of the leaf.
   */
  readonly maxOutputBytes?: number | undefined
  /**
   * Maximum number of commands that run or wait for the leaf at once; further ones are refused with 429. Default: no
   * limit.
   */
  readonly maxConcurrency?: number | undefined
  /** Maximum unread output of a command with `disconnectGraceMillis`, in UTF-16 code units. Default: 1,048,576. */
  readonly maxAhead?: number | undefined
  /** Value of `Retry-After` for throttled clients, rounded up to whole seconds. Default: 1 s. */
  readonly retryAfter?: DurationInput | undefined
  /** Silence after which readers of events are sent keep-alive bytes that are not an event. Default: 15 s. */
  readonly keepAlive?: DurationInput | undefined
  /** Web pages of other origins that may use the routes. Default: none. */
  readonly cors?: CorsOptions | undefined
}

/** Opens the WebSockets of terminals. */
export interface WebSocketSource {
  /**
   * Hono's function for the server, such as that of `@hono/node-server`. Default: that of Deno; that of `Bun.serve` with the
   * handlers `websocket` of `hono/bun`; elsewhere none, and clients of terminals use event streams and `POST`.
   */
  readonly upgradeWebSocket?: UpgradeWebSocket | undefined
}

/**
 * Options of `shellRoutes`: the shell, the journal, the policy, the tokens and the limits.
 *
 * @stability stable
 */
export type ShellRoutesOptions =
  & ServiceSource<Shell>
  & JournalSource
  & PolicySource
  & TokenAccess
  & ShellRoutesLimits
  & WebSocketSource

/**
 * A Hono app with the routes. For a typed client use `hc<ShellRoutes>(url)` of `hono/client`.
 *
 * @stability stable
 */
export interface ShellRoutes extends Hono<BlankEnv, ShellApi, "/"> {
  /**
   * Builds the layers now, and starts to end the commands that a lost server has left in the journal. Without this
   * call, the first request does both. Rejects when a layer cannot be built, or the shell cannot enforce the policy.
   */
  readonly start: () => Promise<void>
  /** Services for other routes of the same server: see the option `server` of `mcpRoutes`. */
  readonly sharedServices: SharedServices
  /**
   * Starts no more commands (503), lets running ones continue for `drain`, ends the rest, and releases the layers.
   * Later requests get 503.
   */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
  /** `dispose()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const optionNames: Readonly<Record<keyof ShellRoutesOptions, true>> = {
  layer: true,
  runtime: true,
  context: true,
  journal: true,
  redactor: true,
  policy: true,
  token: true,
  tokens: true,
  unauthenticated: true,
  maxBodyBytes: true,
  bodyTimeout: true,
  maxHeaderBytes: true,
  maxOutputBytes: true,
  maxConcurrency: true,
  maxAhead: true,
  retryAfter: true,
  keepAlive: true,
  cors: true,
  upgradeWebSocket: true,
}

export interface ShellRoutesSettings {
  readonly maxBodyBytes: number
  readonly bodyTimeoutMillis: number
  readonly maxHeaderBytes: number
  readonly maxOutputBytes: number | undefined
  readonly maxConcurrency: number
  readonly maxAhead: number
  readonly retryAfterSeconds: number
  readonly keepAlive: Duration.Duration
}

export const shellRoutesSettings = (options: ShellRoutesOptions): ShellRoutesSettings => {
  refuseUnknownOptions("shellRoutes", options, optionNames)
  const count = (name: keyof ShellRoutesLimits, value: number, min: number): number =>
    requireCount("shellRoutes", name, value, { min })
  const retryAfterSeconds = Math.ceil(millisOf("retryAfter", options.retryAfter ?? "1 second") / 1000)
  if (retryAfterSeconds === Infinity) throw new OptionError("retryAfter", "retryAfter: write a finite time")
  return {
    maxBodyBytes: count("maxBodyBytes", options.maxBodyBytes ?? 1024 * 1024, 1),
    bodyTimeoutMillis: positiveMillisOf("bodyTimeout", options.bodyTimeout ?? "30 seconds"),
    maxHeaderBytes: count("maxHeaderBytes", options.maxHeaderBytes ?? 16_384, 1),
    maxOutputBytes: options.maxOutputBytes === undefined
      ? undefined
      : count("maxOutputBytes", options.maxOutputBytes, 0),
    maxConcurrency: count("maxConcurrency", options.maxConcurrency ?? Infinity, 1),
    maxAhead: count("maxAhead", options.maxAhead ?? 1024 * 1024, 0),
    retryAfterSeconds,
    keepAlive: Duration.millis(positiveMillisOf("keepAlive", options.keepAlive ?? "15 seconds")),
  }
}
