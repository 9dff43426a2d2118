/**
 * Options and result of `mcpRoutes`.
 *
 * @module
 */
import type * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type { Hono } from "hono"
import { OptionError } from "../base/OptionError.ts"
import { type DurationInput, millisOf } from "../base/duration.ts"
import type { DisposeOptions, SharedServices } from "../server/Server.ts"
import type { Shell } from "../shell/Shell.ts"
import type { TokenAccess } from "../auth/TokenAccess.ts"
import type { McpIdentity } from "./McpIdentity.ts"
import type { McpHosts } from "./McpHosts.ts"
import type { McpSettings } from "./McpSettings.ts"

/** Where the commands run. With a `Journal` beside the `Shell`, its commands are resources. */
export type McpSource =
  | {
    /** Built at the first request, once; released by `dispose`. A build that failed is tried again. */
    readonly layer: Layer.Layer<Shell, unknown>
    readonly context?: never
  }
  | {
    /** Services of the caller's, as `Effect.context<Shell>()` gives them within a program. */
    readonly context: Context.Context<Shell>
    readonly layer?: never
  }

/** A route of its own: where its commands run, and for whom. Of several tokens each knows only its own sessions. */
export type McpStandalone = McpSource & TokenAccess & { readonly server?: never }

/** A route beside those of `shellRoutes`. */
export interface McpOnServer {
  /**
   * Routes that it is mounted beside. Its commands are theirs: on the same shell, in the same journal, for the same tokens,
   * whose limits count for both together; they are listed and ended there, too. Dispose of both.
   */
  readonly server: { readonly sharedServices: SharedServices }
  readonly layer?: never
  readonly context?: never
  readonly token?: never
  readonly tokens?: never
  readonly unauthenticated?: never
}

/** Bounds of what clients may cost. */
export interface McpLimits {
  /** Longest message that is read. Default: 4 MiB. One that begins a session has at most 64 KiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Sessions at once: for one more, the one that was idle longest of the token that has most is ended, and the answer is
   * 503 while all are in use. Default: 1,000.
   */
  readonly maxSessions?: number | undefined
  /** How long a session may be idle before it is ended. Default: 1 hour. */
  readonly sessionIdle?: DurationInput | undefined
}

/** Where commands run, for whom, and what they may cost. */
export type McpRoutesOptions = (McpStandalone | McpOnServer) & McpHosts & McpLimits & McpSettings & McpIdentity

/** A Hono app with the route, and the way to end it. */
export interface McpRoutes extends Hono {
  /**
   * Begins no more commands and no more sessions (503), lets those that run go on for `drain` (default: 0), ends the
   * rest, waits until their answers have been taken, for at most 10 s, and releases the layer. Later requests get 503.
   */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
  /** The same, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** Limits with their defaults. */
export interface McpLimitSettings {
  readonly maxBodyBytes: number
  readonly maxSessions: number
  readonly idleMillis: number
}

/** Fills in the defaults; throws an `OptionError` for a limit below 1. */
export const limitsOf = ({ maxBodyBytes, maxSessions, sessionIdle }: McpLimits): McpLimitSettings => {
  const limits = {
    maxBodyBytes: maxBodyBytes ?? 4 * 1024 * 1024,
    maxSessions: maxSessions ?? 1000,
    idleMillis: millisOf("sessionIdle", sessionIdle ?? "1 hour"),
  }
  for (const [name, value] of Object.entries(limits)) {
    const option = name === "idleMillis" ? "sessionIdle" : name
    if (!(value >= 1)) throw new OptionError(option, `${option}: write a number from 1`)
  }
  return limits
}
