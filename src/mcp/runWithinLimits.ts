/** Runs a tool call within the rate limit and the concurrency limit of its caller. */
import type { CallToolResult } from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import { toolError } from "./toolError.ts"
import { CurrentCaller, rateExceededText, retryAfterSeconds } from "./McpCaller.ts"

/** An exceeded limit is an answer, which models can read and retry. Without a caller there are no limits. */
export const runWithinLimits = <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A | CallToolResult, E, R> =>
  Effect.gen(function* (): Effect.fn.Return<A | CallToolResult, E, R> {
    const caller = yield* CurrentCaller
    if (caller === undefined) return yield* run
    if (caller.isClosing()) {
      return toolError("Cancelled", "mcp: the server is shutting down and starts no more commands (CANCELLED)")
    }
    const seconds = yield* retryAfterSeconds(caller)
    if (seconds > 0) return toolError("Throttled", `mcp: ${rateExceededText(seconds)} (THROTTLED)`)
    const { name, concurrency } = caller.grant
    return yield* Effect.acquireUseRelease(
      Effect.sync(() => concurrency.tryAcquire()),
      (release): Effect.Effect<A | CallToolResult, E, R> =>
        release === undefined
          ? Effect.succeed(
            toolError(
              "Throttled",
              `mcp: too many concurrent commands for this token (${concurrency.max}): try again when one has ended (THROTTLED)`,
            ),
          )
          : Effect.annotateLogs(run, { token: name }),
      (release) => Effect.sync(() => release?.()),
    )
  })
