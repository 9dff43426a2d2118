/** Asks a model, emits its text as it is written, and retries transient failures. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { inSpan, type SpanEnd } from "../base/inSpan.ts"
import { cappedBackoff } from "../base/cappedBackoff.ts"
import type { AgentEvent } from "./AgentEvent.ts"
import type { AgentUsage } from "./AgentUsage.ts"
import { ModelFault, type ModelRequest, type ModelResponse, type ModelService } from "./ModelBranch.ts"

/** Asks again 5 times, after 1 s, 2 s, … */
const defaultRetry: Schedule.Schedule<unknown, ModelFault> = Schedule.upTo(cappedBackoff("1 second", "30 seconds"), {
  times: 5,
})

/** A provider that asks to wait longer than this is not asked again. */
const maxRetryAfterMillis = 5 * 60_000

const isWorthRetrying = ({ isRetryable, retryAfterMillis = 0 }: ModelFault): boolean =>
  isRetryable && retryAfterMillis <= maxRetryAfterMillis

/** Span attributes of the tokens of an answer, or of a run. */
export const usageAttributes = (usage: AgentUsage): Readonly<Record<string, number>> => ({
  "gen_ai.usage.input_tokens": usage.inputTokens,
  "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
  "gen_ai.usage.cache_creation.input_tokens": usage.cacheWriteTokens,
  "gen_ai.usage.output_tokens": usage.outputTokens,
})

const spanEndOf = (response: ModelResponse): SpanEnd => ({
  attributes: { "gen_ai.response.finish_reasons": [response.finishReason], ...usageAttributes(response) },
})

export type Emit = (event: AgentEvent) => Effect.Effect<unknown>

/** Asks a model. Its text is emitted as it arrives, or at once if the service has only the whole answer. */
export const askModel = (
  model: ModelService,
  request: ModelRequest,
  emit: Emit,
  { name, retry = defaultRetry }: {
    /** The name of the model, for spans. */
    readonly name: string | undefined
    readonly retry: Schedule.Schedule<unknown, ModelFault> | undefined
  },
): Effect.Effect<ModelResponse, ModelFault> => {
  const { correlationId } = request
  const attributes = {
    "gen_ai.operation.name": "chat",
    ...(name === undefined ? undefined : { "gen_ai.request.model": name }),
    "sluice.correlation_id": correlationId,
  }
  const spanName = name === undefined ? "chat" : `chat ${name}`
  const once = Effect.suspend(() => {
    let response: ModelResponse | undefined
    let isShown = false
    const answered = Stream.runForEach(model.request(request), (event) => {
      if (event._tag === "ModelResponse") return Effect.sync(() => void (response = event))
      isShown ||= event.kind === "text"
      return emit(event)
    }).pipe(
      Effect.andThen(Effect.suspend(() => {
        if (response === undefined) {
          const message = "model: there was no answer"
          return Effect.fail(new ModelFault({ correlationId, faultKind: "NoAnswer", message, isRetryable: true }))
        }
        const { text } = response
        const shown = isShown || text === ""
          ? Effect.void
          : emit({ _tag: "ModelDelta", correlationId, kind: "text", text })
        return Effect.as(shown, response)
      })),
    )
    return inSpan(answered, spanName, { kind: "client", attributes }, spanEndOf)
  })
  const schedule = Schedule.modifyDelay(retry, ({ duration, input }) => {
    const delay = Duration.max(duration, Duration.millis(input.retryAfterMillis ?? 0))
    const delayMillis = Math.ceil(Duration.toMillis(delay))
    // A schedule computes its delay before it decides whether there is another attempt.
    if (!isWorthRetrying(input)) return Effect.succeed(delay)
    return Effect.as(emit({ _tag: "ModelRetry", correlationId, message: input.message, delayMillis }), delay)
  })
  return Effect.retry(once, { while: isWorthRetrying, schedule })
}
