/**
 * Whether a visit may run a command now.
 *
 * @module
 */
import type { CallToolResult } from "effect/ai/McpSchema"
import * as Effect from "effect/Effect"
import { makeCommandId } from "../command/CommandId.ts"
import { toToolResult } from "./CommandResult.ts"
import { CurrentVisit, secondsToWait, tooManyText } from "./Visit.ts"

/** The answer about a command that was not begun, for a reason that passes. */
const notBegun = (reason: "Cancelled" | "Throttled", why: string): CallToolResult =>
  toToolResult({
    error: `mcp: ${why}`,
    reason,
    exit_code: null,
    stdout: "",
    stderr: "",
    command_id: makeCommandId(),
  })

/**
 * Runs a command for the visit that asks for it, within what its token may run in a time and at once; what is too much
 * is an answer, which models can read and wait for. Without a visit there are no limits.
 */
export const admitted = <E, R>(run: Effect.Effect<CallToolResult, E, R>): Effect.Effect<CallToolResult, E, R> =>
  Effect.gen(function* () {
    const visit = yield* CurrentVisit
    if (visit === undefined) return yield* run
    if (visit.isClosing()) return notBegun("Cancelled", "the server is going down, and runs no more commands")
    const seconds = yield* secondsToWait(visit)
    if (seconds > 0) return notBegun("Throttled", tooManyText(seconds))
    const { name, places } = visit.grant
    return yield* Effect.acquireUseRelease(
      Effect.sync(() => places.take()),
      (place) =>
        place === undefined
          ? Effect.succeed(
            notBegun("Throttled", `the token may run ${places.most} at once; try again when one has ended`),
          )
          : Effect.annotateLogs(run, { token: name }),
      (place) => Effect.sync(() => place?.()),
    )
  })
