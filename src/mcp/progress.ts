/**
 * Sends progress notifications to the client of a request.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/progress
 *
 * @module
 */
import { McpRequestContext, McpServerClient } from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Sends a message to who asked for it, and resumes when the connection has taken it. */
export type Progress = (message: string) => Effect.Effect<void>

type Token = string | number

/** Longest token that is taken: it goes into every notification. */
const maxTokenLength = 1024

const isToken = (u: unknown): u is Token =>
  typeof u === "number" || (typeof u === "string" && u.length <= maxTokenLength)

/**
 * How to tell the client of this request of its progress; `undefined` when it sent no `progressToken`, or one of
 * more than 1,024 characters. The `progress` of
 * the notifications counts them, from 1.
 */
export const requestProgress = (
  server: McpServer["Service"],
): Effect.Effect<Progress | undefined, never, McpRequestContext> =>
  Effect.gen(function* () {
    const context = yield* McpRequestContext
    // Since 2026-07-28 each request says who asks; before, only what it carries besides is its own.
    const client = yield* Effect.serviceOption(McpServerClient)
    const { requestMetadata } = Option.getOrElse(client, () => context)
    const token: unknown = requestMetadata?.["progressToken"]
    if (!isToken(token)) return undefined
    let sent = 0
    return (message) =>
      Effect.suspend(() => {
        sent++
        return Effect.provideService(
          server.notifications["notifications/progress"]({ progressToken: token, progress: sent, message }),
          McpRequestContext,
          context,
        )
      })
  })
