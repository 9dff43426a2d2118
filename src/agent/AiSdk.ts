/**
 * Makes a `LanguageModel` of `effect/ai` from a model of the AI SDK: OpenAI, Google, Anthropic and all that others keep.
 *
 * The types are declared here, as far as they are used, so that no package of the AI SDK is needed by who does not use one.
 *
 * @module
 */
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { aiSdkError } from "./aiSdkError.ts"
import { type CallOptions, callOptions } from "./aiSdkPrompt.ts"
import { type Content, partOf, type StreamPart, streamPartsOf, type Usage, usageOf } from "./aiSdkResponse.ts"

/**
 * A model of the AI SDK: its interface `LanguageModelV3`, as far as it is used.
 *
 * @stability experimental
 */
export interface AiSdkModel {
  readonly specificationVersion: "v3"
  /** The name of the provider, for errors. */
  readonly provider: string
  /** The name of the model. */
  readonly modelId: string
  /** Answers at once. */
  doGenerate(options: CallOptions): PromiseLike<GenerateResult>
  /** Answers as a stream. */
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<StreamPart> }>
  /** Removes secrets from the text of an error: a server may quote the key that it refuses. Default: nothing is removed. */
  readonly redact?: ((text: string) => string) | undefined
}

/**
 * The whole answer of a model.
 *
 * @stability experimental
 */
export interface GenerateResult {
  readonly content: ReadonlyArray<Content>
  readonly finishReason: { readonly unified: Response.FinishReason }
  readonly usage: Usage
  readonly response?: { readonly id?: string; readonly modelId?: string; readonly timestamp?: Date } | undefined
}

/** Converts what is thrown, at the time of the clock: a `Retry-After` may be a date. */
const errorOf = (model: AiSdkModel, method: string, clock: Clock.Clock) => (error: unknown): AiError.AiError =>
  aiSdkError(error, { method, now: clock.currentTimeMillisUnsafe(), provider: model.provider, redact: model.redact })

const generate = (model: AiSdkModel) => (options: LanguageModel.ProviderOptions) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const result = yield* Effect.tryPromise({
      try: (abortSignal) => model.doGenerate({ ...callOptions(options), abortSignal }),
      catch: errorOf(model, "generateText", clock),
    })
    const parts: Array<Response.PartEncoded> = result.content.flatMap((content) => partOf(content) ?? [])
    const { id, modelId, timestamp } = result.response ?? {}
    parts.unshift({ type: "response-metadata", id, modelId, timestamp: timestamp?.toISOString() })
    parts.push({ type: "finish", reason: result.finishReason.unified, usage: usageOf(result.usage) })
    return parts
  })

const stream = (model: AiSdkModel) => (options: LanguageModel.ProviderOptions) =>
  Stream.unwrap(Effect.gen(function* () {
    const failed = errorOf(model, "streamText", yield* Clock.Clock)
    const controller = new AbortController()
    yield* Effect.addFinalizer(() => Effect.sync(() => controller.abort()))
    const { stream } = yield* Effect.tryPromise({
      try: () => model.doStream({ ...callOptions(options), abortSignal: controller.signal }),
      catch: failed,
    })
    return Stream.fromReadableStream({ evaluate: () => stream, onError: failed }).pipe(
      Stream.mapEffect((part) =>
        part.type === "error" ? Effect.fail(failed(part.error)) : Effect.succeed(streamPartsOf(part))
      ),
      Stream.flattenIterable,
    )
  }))

/**
 * Makes a `LanguageModel` from a model of the AI SDK.
 *
 * @stability experimental
 */
export const make = (model: AiSdkModel): Effect.Effect<LanguageModel.LanguageModel> =>
  LanguageModel.make({ generateText: generate(model), streamText: stream(model) })

/**
 * {@link make} as a layer.
 *
 * @stability experimental
 */
export const layer = (model: AiSdkModel): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(LanguageModel.LanguageModel, make(model))
