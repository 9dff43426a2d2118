/** Declares the options and the result of `mcpRoutes`, refuses unknown options, and resolves the limits. */
import type * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import type { Hono } from "hono"
import { refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import type { DisposeOptions } from "../server/DisposeOptions.ts"
import type { SharedServices } from "../server/SharedServices.ts"
import type { Journal } from "../journal/JournalService.ts"
import type { Shell } from "../shell/Shell.ts"
import type { TokenAccess } from "../auth/TokenAccess.ts"
import { identityNames, type McpIdentity } from "./McpIdentity.ts"
import type { McpHosts } from "./McpHosts.ts"
import { checkSpellOptions, type McpSpells, type McpWithoutSpells, spellOptionNames } from "./McpSpells.ts"
import { type McpToolOptions, toolOptionNames } from "./McpToolOptions.ts"

/**
 * The shell that runs the commands. If its layer or context also has a `Journal`, the journaled commands are resources.
 */
export type McpSource =
  | {
    /** Built once, at the first request; released by `dispose`. A failed build is retried. */
    readonly layer: Layer.Layer<Shell, unknown>
    readonly context?: never
  }
  | {
    /** Services of the caller, from `Effect.context<Shell>()`. */
    readonly context: Context.Context<Shell>
    readonly layer?: never
  }

/** Options of a route with a shell and tokens of its own. A token cannot use the sessions of another. */
export type McpStandalone = McpSource & TokenAccess & { readonly server?: never }

/** Options of a route that shares the services of `shellRoutes`. */
export interface McpOnServer {
  /**
   * The routes whose shell, journal and tokens are shared: commands of the tools are listed and cancelled there too,
   * and the limits of a token apply to both together. Dispose of both.
   */
  readonly server: { readonly sharedServices: SharedServices }
  /** Not allowed: the server's services are used. */
  readonly layer?: never
  /** Not allowed: the server's services are used. */
  readonly context?: never
  /** Not allowed: the server's tokens are used. */
  readonly token?: never
  /** Not an option here: the routes use the tokens of the server. */
  readonly tokens?: never
  /** Not allowed: the server decides. */
  readonly unauthenticated?: never
}

/**
 * The services of the spells that a route serves: with tokens of its own, or on the shell, the journal and the tokens of
 * `shellRoutes`. If there is a `Journal` among them, the journaled commands are resources.
 *
 * @stability experimental
 */
export type McpSpellSource<R> =
  | TokenAccess & {
    /** Built once, at the first request; released by `dispose`. A failed build is retried. */
    readonly layer: Layer.Layer<NoInfer<R>, unknown>
    readonly context?: never
    readonly server?: never
  }
  | TokenAccess & {
    /** Services of the caller, from `Effect.context`. */
    readonly context: Context.Context<NoInfer<R>>
    readonly layer?: never
    readonly server?: never
  }
  | Omit<McpOnServer, "layer"> & {
    /** The services, built from those of the server: `Layer.effect(Shell, Shell)` passes its shell on. */
    readonly layer: Layer.Layer<NoInfer<R>, unknown, Shell | Journal>
  }

/** Limits of the route. */
export interface McpLimits {
  /** Maximum size of a message, in bytes. Default: 4 MiB. A message that starts a session has at most 64 KiB. */
  readonly maxBodyBytes?: number | undefined
  /**
   * Maximum number of sessions. A further session ends an idle one: of the token with the most sessions, the one that
   * was idle longest. While all are in use, the response is 503. Default: 1,000.
   */
  readonly maxSessions?: number | undefined
  /** Idle time after which a session is ended. Default: 1 hour. */
  readonly sessionIdle?: DurationInput | undefined
}

/** Options of `mcpRoutes`. */
export type McpRoutesOptions<R = never> =
  & (((McpStandalone | McpOnServer) & McpWithoutSpells) | (McpSpells<R> & McpSpellSource<R>))
  & McpHosts
  & McpLimits
  & McpToolOptions
  & McpIdentity

/** A Hono app with the route. */
export interface McpRoutes extends Hono {
  /**
   * Starts no more commands and sessions (503), lets running commands continue for `drain`, ends the rest, waits at
   * most 10 s until their answers are sent, and releases the layer. Later requests get 503.
   */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
  /** `dispose()`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

export interface McpLimitSettings {
  readonly maxBodyBytes: number
  readonly maxSessions: number
  readonly sessionIdleMillis: number
}

const optionNames: Readonly<Record<keyof McpRoutesOptions, true>> = {
  ...toolOptionNames,
  ...identityNames,
  layer: true,
  context: true,
  server: true,
  token: true,
  tokens: true,
  unauthenticated: true,
  allowedHosts: true,
  cors: true,
  ...spellOptionNames,
  maxBodyBytes: true,
  maxSessions: true,
  sessionIdle: true,
}

export const mcpLimits = <R>(options: McpRoutesOptions<R>): McpLimitSettings => {
  refuseUnknownOptions("mcpRoutes", options, optionNames)
  checkSpellOptions("mcpRoutes", options)
  return {
    maxBodyBytes: requireCount("mcpRoutes", "maxBodyBytes", options.maxBodyBytes ?? 4 * 1024 * 1024, { min: 1 }),
    maxSessions: requireCount("mcpRoutes", "maxSessions", options.maxSessions ?? 1000, { min: 1 }),
    sessionIdleMillis: positiveMillisOf("sessionIdle", options.sessionIdle ?? "1 hour"),
  }
}
