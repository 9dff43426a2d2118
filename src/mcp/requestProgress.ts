/** Sends progress notifications to the client of a request. */
import { McpRequestContext, McpServerClient } from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Progress } from "../spell/progressShell.ts"

type Token = string | number

const maxTokenLength = 1024

const isToken = (u: unknown): u is Token =>
  typeof u === "number" || (typeof u === "string" && u.length <= maxTokenLength)

/**
 * The function that sends progress to the client of this request; `undefined` if it sent no `progressToken`, or one of
 * more than 1,024 characters. The notifications are numbered from 1.
 */
export const requestProgress = (
  server: McpServer["Service"],
): Effect.Effect<Progress | undefined, never, McpRequestContext> =>
  Effect.gen(function* () {
    const context = yield* McpRequestContext
    // Since 2026-07-28 each request has a client of its own; before, only the metadata belongs to the request.
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
