/**
 * Finds the calls of a run that ended otherwise than in the recording whose calls it makes again: the model said what it said
 * then, and may now be wrong.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { replayById } from "../../branch/replayById.ts"
import { Journal, type JournalService } from "../../journal/JournalService.ts"
import { type AgentToolCallResult, ToolCallBranch } from "../../agent/ToolCallBranch.ts"
import { describeResult } from "./AgentPrinter.ts"

/** Whether a call ended as in the recording: it failed, or exited with this code, or did neither. */
const isAlike = (one: AgentToolCallResult, other: AgentToolCallResult): boolean =>
  one.isFailure === other.isFailure && (one.isFailure || describeResult(one) === describeResult(other))

/** Makes the check of a result: `true` where the recording has another one under the same id. */
export const findDifferences = (
  recording: JournalService,
): Effect.Effect<(result: AgentToolCallResult) => Effect.Effect<boolean>> =>
  Effect.map(
    Effect.provideService(replayById(ToolCallBranch, { isStrict: false }), Journal, recording),
    (recorded) => (result) => {
      const { callId, correlationId, name } = result
      const call = { _tag: "AgentToolCall" as const, correlationId, callId, name, arguments: null }
      return Stream.runLast(recorded.request(call)).pipe(
        Effect.map((before) =>
          Option.isSome(before) && before.value._tag === "AgentToolCallResult" && !isAlike(before.value, result)
        ),
        // A call without a recorded result: it was in flight when the recording ended.
        Effect.catch(() => Effect.succeed(false)),
      )
    },
  )
