/**
 * What the routes are made of, and what they are.
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

/** Bounds of what one request may cost. */
export interface ShellRoutesLimits {
  /** Longest body that is read as a command. Default: 1 MiB. */
  readonly maxBodyBytes?: number | undefined
  /** How long such a body may take to come to its end. Default: 30 s. */
  readonly bodyTimeout?: DurationInput | undefined
  /** Most bytes of headers, names and values. Default: 16 KiB. Runtimes have limits of their own. */
  readonly maxHeaderBytes?: number | undefined
  /**
   * Most bytes of each output that a run may keep in memory, whatever the `maxOutputBytes` of its command says.
   * Default: 64 MiB for commands that say it, the leaf's own budget for those that don't.
   */
  readonly maxOutputBytes?: number | undefined
  /** The most commands that run, or wait for the leaf, at once; more are refused with 429. Default: no limit. */
  readonly maxConcurrent?: number | undefined
  /** How much output a command with `disconnectGraceMillis` may be ahead of its readers, characters. Default: 1 MiB. */
  readonly maxAhead?: number | undefined
  /** What `Retry-After` says to clients that were throttled. Whole seconds, rounded up. Default: 1 s. */
  readonly retryAfter?: DurationInput | undefined
  /** Silence after which readers of events are sent something that is no event. Default: 15 s. */
  readonly keepAlive?: DurationInput | undefined
  /** Pages of other sites that may use the routes. Default: none. */
  readonly cors?: CorsOptions | undefined
}

/** Where commands run and are journaled, who may run them, and what a request may cost. */
export type ShellRoutesOptions = ShellSource & JournalSource & PolicySource & TokenAccess & ShellRoutesLimits

/** A Hono app with the routes, and the way to end it. */
export interface ShellRoutes extends Hono<BlankEnv, ShellApi, "/"> {
  /**
   * Builds the layers now, and begins to end what a server that was lost has left in the journal. Otherwise the first
   * request does. Rejects when a layer cannot be built.
   */
  readonly start: () => Promise<void>
  /** What is mounted beside the routes takes part in: see `mcpRoutes` of `@sluice/shell/mcp/http`. */
  readonly sharedServices: SharedServices
  /**
   * Takes no more commands (503), lets those that run go on for `drain` (default: 0), ends the rest, waits for their ends,
   * and releases the layers. What is asked of the routes afterwards gets 503.
   */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
  /** The same, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}
