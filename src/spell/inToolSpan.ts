/** Runs a call of a spell in a span, with the names that OpenTelemetry has for calls of tools. */
import type * as Effect from "effect/Effect"
import { inSpan, type SpanEnd } from "../base/inSpan.ts"

/** Runs a call in a span, which contains neither the arguments nor the result. */
export const inToolSpan = <A, E extends { readonly _tag: string }>(
  effect: Effect.Effect<A, E>,
  { callId, correlationId, name }: {
    readonly name: string
    readonly correlationId: string
    /** The id that a model gave to the call. */
    readonly callId?: string | undefined
  },
  endOf?: (value: A) => SpanEnd,
): Effect.Effect<A, E> => {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    ...(callId === undefined ? undefined : { "gen_ai.tool.call.id": callId }),
    "sluice.correlation_id": correlationId,
  }
  return inSpan(effect, `execute_tool ${name}`, { attributes }, endOf)
}
