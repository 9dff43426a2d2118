/**
 * The authenticated caller of an MCP request, and the tools and resources that are visible to it.
 *
 * @module
 */
import { McpErrorBase } from "effect/ai/McpSchema"
import { type McpServer, type MiddlewareMethod, visibility } from "effect/ai/McpServer"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { TokenRight } from "../auth/TokenAccess.ts"
import type { TokenGrant } from "../auth/TokenGrant.ts"
import { toolNames } from "./toolNames.ts"

/** A request that was let in. */
export interface McpCaller {
  readonly grant: TokenGrant
  /** Whether it was counted against the token's rate already: one without a session is, before anybody reads it. */
  readonly isRateCounted: boolean
  /** Whether the server takes no more commands. */
  readonly isClosing: () => boolean
}

/** The visit that a handler works for; none over stdio, where whoever started the server may do all. */
export const CurrentCaller: Context.Reference<McpCaller | undefined> = Context.Reference<McpCaller | undefined>(
  "sluice/mcp/CurrentVisit",
  { defaultValue: () => undefined },
)

/** Seconds until a visit may make its request; 0 for now. */
export const retryAfterSeconds = ({ grant, isRateCounted: isCounted }: McpCaller): Effect.Effect<number> =>
  isCounted ? Effect.succeed(0) : Effect.map(Clock.currentTimeMillis, (now) => grant.retryAfterSeconds(now))

/** What is said to a token that has made as many requests as it may. */
export const rateExceededText = (seconds: number): string =>
  `as many requests as the token may make have been made; try again in ${seconds} s`

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
 * Shows a token only what it has the right to: without `run` there are no tools, without `read` no resources, whoever
 * has registered them. A model is not offered what it would be refused. What is asked for is counted here, too, but for
 * our own tools, which say in their answer that it was too much.
 */
export const visibilityByRights: Layer.Layer<never, never, McpServer> = visibility(
  ({ method, target }) =>
    Effect.gen(function* () {
      const visit = yield* CurrentCaller
      if (visit === undefined) return true
      const right = requiredRight(method)
      if (right !== undefined && !visit.grant.rights.has(right)) return false
      if (method.endsWith("/list") || (method === "tools/call" && toolNames.has(target))) return true
      const seconds = yield* retryAfterSeconds(visit)
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
