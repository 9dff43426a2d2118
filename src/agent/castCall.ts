/**
 * Casts the spell that a model calls, and says its result or its fault as the model is told.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type SpellFault, SpellInvocation } from "../spell/SpellEntry.ts"
import type { SpellcastingService } from "../spell/SpellcastingBranch.ts"
import type { AgentToolCall } from "./ModelBranch.ts"
import type { ToolResult } from "./Transcript.ts"

/** What a model is told of a call without a result. */
const failureOf = ({ failure, faultKind, message }: SpellFault): Schema.Json => ({
  error: faultKind,
  message,
  ...(faultKind === "HostLost"
    ? {
      advice:
        "the call may have been carried out, in part or whole: look at the present state before you call it again",
    }
    : undefined),
  ...(failure === undefined ? undefined : { failure }),
})

/** Casts a spell. It never fails: the model decides what a fault means. */
export const castCall = (
  spells: SpellcastingService,
  call: AgentToolCall,
  correlationId: string,
): Effect.Effect<ToolResult> =>
  spells.request(SpellInvocation.make({ correlationId, name: call.name, arguments: call.arguments })).pipe(
    Stream.runHead,
    Effect.match({
      onSuccess: (result) => ({ call, result: Option.isSome(result) ? result.value.result : null, isFailure: false }),
      onFailure: (fault) => ({ call, result: failureOf(fault), isFailure: true }),
    }),
  )
