/** Holds the authenticated caller of an MCP request, and hides tools and resources that the caller has no right to. */
import { McpErrorBase } from "effect/ai/McpSchema"
import { type McpServer, type MiddlewareMethod, visibility } from "effect/ai/McpServer"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { TokenRight } from "../auth/TokenAccess.ts"
import type { TokenGrant } from "../auth/TokenGrant.ts"

export interface McpCaller {
  readonly grant: TokenGrant
  /** The id of its session; `undefined` in protocols without sessions. */
  readonly session: string | undefined
  /** Whether the rate limit has already counted the request, as it does before reading a request without a session. */
  readonly isRateCounted: boolean
  readonly isClosing: () => boolean
}

/** `undefined` over stdio, where the client started the server and may do everything. */
export const CurrentCaller: Context.Reference<McpCaller | undefined> = Context.Reference<McpCaller | undefined>(
  "sluice/mcp/CurrentVisit",
  { defaultValue: () => undefined },
)

/** Counts a request by the rate limit: 0, or the seconds until the next one is allowed. */
export const retryAfterSeconds = ({ grant, isRateCounted }: McpCaller): Effect.Effect<number> =>
  isRateCounted ? Effect.succeed(0) : Effect.map(Clock.currentTimeMillis, (now) => grant.retryAfterSeconds(now))

export const rateExceededText = (seconds: number): string =>
  `too many requests for this token; try again in ${seconds} s`

const requiredRight = (method: MiddlewareMethod): TokenRight | undefined => {
  switch (method) {
    case "tools/call":
    case "tools/list":
      return "run"
    case "resources/read":
    case "resources/list":
    case "resources/templates/list":
    case "completion/complete":
      return "read"
    default:
      return undefined
  }
}

/**
 * Hides from a token the items that it has no right to: without `run` there are no tools, and without `read` no
 * resources, including those of other registrations, so that a model is not offered calls that would be refused. Also
 * counts requests by the rate limit, except calls of `ownTools`, which report an exceeded limit in their answer.
 */
export const visibilityByRights = (ownTools: ReadonlySet<string>): Layer.Layer<never, never, McpServer> =>
  visibility(
    ({ method, target }) =>
      Effect.gen(function* () {
        const caller = yield* CurrentCaller
        if (caller === undefined) return true
        const right = requiredRight(method)
        if (right !== undefined && !caller.grant.rights.has(right)) return false
        if (method.endsWith("/list") || (method === "tools/call" && ownTools.has(target))) return true
        const seconds = yield* retryAfterSeconds(caller)
        if (seconds > 0) {
          const data = { retryAfterSeconds: seconds }
          return yield* Effect.fail(
            new McpErrorBase({ code: -32_000, message: `mcp: ${rateExceededText(seconds)}`, data }),
          )
        }
        return true
      }),
    { global: true },
  )
