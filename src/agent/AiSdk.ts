/**
 * Adapts a model of the AI SDK (OpenAI, Google, Anthropic or any other provider) to the `LanguageModel` of `effect/ai`.
 *
 * The types in use are declared here, so a program without a provider needs no AI SDK package.
 *
 * @module
 */
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AnthropicStructuredOutput from "effect/ai/AnthropicStructuredOutput"
import * as OpenAiStructuredOutput from "effect/ai/OpenAiStructuredOutput"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, durationOf } from "../base/duration.ts"
import type { OptionError } from "../base/OptionError.ts"
import { aiSdkError } from "./aiSdkError.ts"
import { type CallOptions, callOptions, type CallSettings } from "./callOptions.ts"
import {
  type Content,
  finishOf,
  type FinishReason,
  partOf,
  type StreamPart,
  streamPartsOf,
  type Usage,
  type Warning,
  warningText,
} from "./aiSdkResponse.ts"
import { maxAnswerSize, partSizeOf, tooLongText } from "./answerSize.ts"
import { makeRetry, type RetryOptions } from "./retryModel.ts"

/** A model of the AI SDK: the parts of its interfaces `LanguageModelV3` and `LanguageModelV4` that are used. */
export interface AiSdkModel {
  /** The version of the interface. */
  readonly specificationVersion: "v3" | "v4"
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

/** The whole answer of a model. */
export interface GenerateResult {
  /** The parts of the answer. */
  readonly content: ReadonlyArray<Content>
  /** The text of the requested object, if `content` also has other texts, such as drafts. */
  readonly structuredOutputText?: string | undefined
  /** The reason for which the answer ended. */
  readonly finishReason: FinishReason
  /** The tokens that the answer used. */
  readonly usage: Usage
  /** Parts of the request that the provider ignored. */
  readonly warnings: ReadonlyArray<Warning>
  /** Other data of the provider, by its name. */
  readonly providerMetadata?: Readonly<Record<string, unknown>> | undefined
  /** Metadata of the response. */
  readonly response?: { readonly id?: string; readonly modelId?: string; readonly timestamp?: Date } | undefined
}

/** Options of {@link make}. */
export interface AiSdkOptions {
  /** Retries of a request that failed before its answer began. Default: 3 attempts. */
  readonly retry?: RetryOptions | undefined
  /** Maximum wait for an answer, or for the next part of a streamed one. Default: 10 minutes. */
  readonly timeout?: DurationInput | undefined
  /** Settings of each call. Default: the provider's, but OpenAI's responses API stores nothing (`store: false`). */
  readonly settings?: CallSettings | undefined
}

/** OpenAI stores nothing: prompts hold the whole conversation, so that it can be resumed from a journal alone. */
const ownSettings = ({ provider }: AiSdkModel, settings: CallSettings): CallSettings =>
  provider === "openai.responses"
    ? {
      ...settings,
      providerOptions: {
        ...settings.providerOptions,
        openai: { store: false, ...settings.providerOptions?.["openai"] },
      },
    }
    : settings

interface Caller {
  readonly model: AiSdkModel
  readonly codec: LanguageModel.CodecTransformer
  readonly timeout: Duration.Duration
  readonly settings: CallSettings
  readonly warned: Set<string>
  readonly retry: <A>(self: Effect.Effect<A, AiError.AiError>) => Effect.Effect<A, AiError.AiError>
}

/** Dialect in which a provider receives the Schema of an object: OpenAI and Anthropic accept a subset of JSON Schema. */
const codecOf = ({ provider }: AiSdkModel): LanguageModel.CodecTransformer =>
  provider.startsWith("openai")
    ? OpenAiStructuredOutput.toCodecOpenAI
    : provider.startsWith("anthropic")
    ? AnthropicStructuredOutput.toCodecAnthropic
    : LanguageModel.defaultCodecTransformer

/** The errors of a method, at the time of the clock: a `Retry-After` may be a date. */
const errorsOf = ({ model: { provider, redact }, timeout }: Caller, method: string, clock: Clock.Clock) => {
  const convert = (error: unknown): AiError.AiError =>
    aiSdkError(error, { method, now: clock.currentTimeMillisUnsafe(), provider, redact })
  const after = Duration.format(timeout)
  return { convert, late: () => convert(new DOMException(`nothing came for ${after}`, "TimeoutError")) }
}

/** Maximum number of warnings of one model that are logged. */
const maxWarnings = 100

/** Logs each warning once, because providers repeat it with every answer. */
const logWarnings = ({ model, warned }: Caller, warnings: ReadonlyArray<Warning> = []) =>
  Effect.forEach(warnings, (warning) => {
    const text = warningText(warning)
    if (warned.has(text) || warned.size >= maxWarnings) return Effect.void
    warned.add(text)
    return Effect.logWarning(`model ${model.provider}/${model.modelId}: ${text}`)
  }, { discard: true })

/** Explains that the provider did not end an answer. */
const brokenOff = () => new TypeError("the connection broke off: the answer has no end")

/** The parts of an answer and its end. The text of an object answer is only its JSON. */
const resultParts = (result: GenerateResult, isObject: boolean): Array<Response.PartEncoded> => {
  const { content, finishReason: { raw, unified }, response: { id, modelId, timestamp } = {}, warnings } = result
  if (unified === "interrupted") throw brokenOff()
  if (content.length === 0 && raw === undefined && unified === "other") {
    throw Object.assign(new Error("the answer has no content and no end"), { name: "AI_NoContentGeneratedError" })
  }
  const text = isObject ? result.structuredOutputText : undefined
  const kept: ReadonlyArray<Content> = text === undefined
    ? content
    : [...content.filter(({ type }) => type !== "text"), { type: "text", text }]
  return [
    { type: "response-metadata", id, modelId, timestamp: timestamp?.toISOString() },
    ...kept.flatMap((each) => partOf(each) ?? []),
    finishOf(result, warnings),
  ]
}

const generate = (caller: Caller) => (options: LanguageModel.ProviderOptions) =>
  Effect.gen(function* () {
    const { codec, model, retry, settings, timeout } = caller
    const { convert, late } = errorsOf(caller, "generateText", yield* Clock.Clock)
    const result = yield* Effect.tryPromise({
      try: (abortSignal) =>
        model.doGenerate({ ...settings, ...callOptions(options, codec, model.specificationVersion), abortSignal }),
      catch: convert,
    }).pipe(Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(late()) }), retry)
    // An answer of another form than declared is an error of the provider.
    const isObject = options.responseFormat.type === "json"
    const parts = yield* Effect.try({ try: () => resultParts(result, isObject), catch: convert })
    yield* logWarnings(caller, result.warnings)
    return parts
  })

/**
 * Converts the parts of a stream. A tool call and all parts after it are held until the answer is complete, because the
 * AI SDK makes calls from a broken answer, with parameters that may be truncated.
 */
const streamConverter = (convert: (error: unknown) => AiError.AiError) => {
  const held: Array<Response.StreamPartEncoded> = []
  let warnings: ReadonlyArray<Warning> = []
  let isHolding = false
  let size = 0
  let isFinished = false
  const next = (part: StreamPart): Effect.Effect<ReadonlyArray<Response.StreamPartEncoded>, AiError.AiError> => {
    if (part.type === "error") return Effect.fail(convert(part.error))
    size += partSizeOf(part)
    if (size > maxAnswerSize) return Effect.fail(convert({ name: "AI_InvalidResponseDataError", message: tooLongText }))
    if (part.type === "finish") {
      // If the provider sent no reason, the AI SDK made the end itself. Models of V4 report this.
      const { raw, unified } = part.finishReason
      const isMade = unified === "interrupted" || (raw === undefined && (unified === "other" || unified === "error"))
      if (isMade) return Effect.fail(convert(brokenOff()))
      isFinished = true
      return Effect.succeed([...held.splice(0), finishOf(part, warnings)])
    }
    if (part.type === "stream-start") warnings = part.warnings
    if (part.type === "tool-call") isHolding = true
    const parts = streamPartsOf(part)
    if (!isHolding) return Effect.succeed(parts)
    held.push(...parts)
    return Effect.succeed([])
  }
  return { next, end: Stream.suspend(() => isFinished ? Stream.empty : Stream.fail(convert(brokenOff()))) }
}

const stream = (caller: Caller) => (options: LanguageModel.ProviderOptions) =>
  Stream.unwrap(Effect.gen(function* () {
    const { codec, model, retry, settings, timeout } = caller
    const { convert, late } = errorsOf(caller, "streamText", yield* Clock.Clock)
    const controller = new AbortController()
    yield* Effect.addFinalizer(() => Effect.sync(() => controller.abort()))
    const { stream } = yield* Effect.tryPromise({
      try: (signal) => {
        const abortSignal = AbortSignal.any([controller.signal, signal])
        return model.doStream({ ...settings, ...callOptions(options, codec, model.specificationVersion), abortSignal })
      },
      catch: convert,
    }).pipe(Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(late()) }), retry)
    const { end, next } = streamConverter(convert)
    return Stream.fromReadableStream({ evaluate: () => stream, onError: convert }).pipe(
      // A keep-alive is not progress of the answer.
      Stream.filter((part) => part?.type !== "ping"),
      Stream.timeoutOrElse({ duration: timeout, orElse: () => Stream.fail(late()) }),
      Stream.tap((part) => part?.type === "stream-start" ? logWarnings(caller, part.warnings) : Effect.void),
      // A part of another form than declared is an error of the provider.
      Stream.mapEffect((part) => Effect.flatten(Effect.try({ try: () => next(part), catch: convert }))),
      Stream.flattenIterable,
      Stream.concat(end),
    )
  }))

/**
 * Makes a `LanguageModel` from a model of the AI SDK. A request that fails before its answer begins is retried when its error
 * is transient, after the provider's `Retry-After`; under `Agent.run` the run retries instead. Fails with an `OptionError` for
 * an invalid time or number of attempts.
 *
 * @example
 * ```ts
 * import { createOpenAI } from "@ai-sdk/openai"
 * import { AiSdk } from "@sluice/shell/agent"
 * import { Effect } from "effect"
 *
 * const choices = [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }]
 * // Leave out `fetch` to ask the provider.
 * const fetch = Object.assign(
 *   () => Promise.resolve(Response.json({ id: "r", created: 0, model: "m", choices })),
 *   { preconnect: () => {} },
 * )
 * const program = Effect.gen(function* () {
 *   const model = yield* AiSdk.make(createOpenAI({ apiKey: "key", fetch }).chat("gpt-5"), { retry: { maxAttempts: 5 } })
 *   return yield* model.generateText({ prompt: "Say hello." })
 * })
 * console.log((await Effect.runPromise(program)).text) // Hello.
 * ```
 */
export const make = (
  model: AiSdkModel,
  { retry, settings = {}, timeout = "10 minutes" }: AiSdkOptions = {},
): Effect.Effect<LanguageModel.LanguageModel, OptionError> =>
  Effect.gen(function* () {
    const codec = codecOf(model)
    const caller: Caller = yield* attemptOptions(() => ({
      model,
      codec,
      settings: ownSettings(model, settings),
      timeout: durationOf("timeout", timeout),
      retry: makeRetry(retry),
      warned: new Set<string>(),
    }))
    return yield* LanguageModel.make({
      generateText: generate(caller),
      streamText: stream(caller),
      codecTransformer: codec,
    })
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { AiSdk, resolveModel } from "@sluice/shell/agent"
 * import { Effect, Layer } from "effect"
 *
 * // Needs OPENAI_API_KEY when it is built.
 * const layer = Layer.unwrap(Effect.map(resolveModel("openai/gpt-5"), (model) => AiSdk.layer(model)))
 * console.log(Layer.isLayer(layer)) // true
 * ```
 */
export const layer = (
  model: AiSdkModel,
  options: AiSdkOptions = {},
): Layer.Layer<LanguageModel.LanguageModel, OptionError> =>
  Layer.effect(LanguageModel.LanguageModel, make(model, options))
