/** Makes one tool call, and builds the answer for the model. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import type { SpanEnd } from "../base/inSpan.ts"
import { isJsonObject } from "../base/jsonSchema.ts"
import { inToolSpan } from "../spell/inToolSpan.ts"
import type { Emit } from "./askModel.ts"
import type { ModelToolCall } from "./ModelBranch.ts"
import {
  AgentToolCall,
  type AgentToolCallProgress,
  AgentToolCallResult,
  type ToolCallService,
} from "./ToolCallBranch.ts"
import type { ToolResult } from "./Transcript.ts"

const isProgress = (event: AgentToolCallProgress | AgentToolCallResult): event is AgentToolCallProgress =>
  event._tag === "AgentToolCallProgress"

/** The kind of the failure that is reported to the model. */
const spanEndOf = ({ isFailure, result }: AgentToolCallResult): SpanEnd => {
  if (!isFailure) return {}
  return { errorType: isJsonObject(result) && typeof result["error"] === "string" ? result["error"] : "Failed" }
}

/** Makes a call and emits the call, its command's output and its result. Never fails: the model gets the fault. */
export const callTool = (
  tools: ToolCallService,
  { correlationId, redacted, ...call }: ModelToolCall & Pick<AgentToolCall, "correlationId" | "redacted">,
  emit: Emit,
): Effect.Effect<ToolResult> => {
  const { arguments: input, id: callId, name } = call
  const told = (result: Schema.Json, isFailure: boolean): AgentToolCallResult =>
    AgentToolCallResult.make({ correlationId, callId, name, result, isFailure })
  const request = AgentToolCall.make({
    correlationId,
    callId,
    name,
    arguments: input,
    ...defined({ redacted }),
  })
  const answered = Stream.runLast(
    Stream.tap(tools.request(request), (event) => isProgress(event) ? emit(event) : Effect.void),
  ).pipe(
    Effect.match({
      onSuccess: (last) =>
        Option.isSome(last) && !isProgress(last.value)
          ? last.value
          : told({ error: "Broken", message: `${name}: there was no answer` }, true),
      onFailure: ({ faultKind, message }) => told({ error: faultKind, message }, true),
    }),
  )
  return emit(request).pipe(
    Effect.andThen(inToolSpan(answered, { name, callId, correlationId }, spanEndOf)),
    Effect.tap(emit),
    Effect.map(({ isFailure, result }) => ({ call, result, isFailure })),
  )
}
