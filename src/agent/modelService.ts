/** Makes the service of the model branch from the `LanguageModel` of the context and the spells of a spellbook. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Journal } from "../journal/JournalService.ts"
import type { Spell } from "../spell/Spell.ts"
import type { Spellbook } from "../spell/makeSpellbook.ts"
import { toolSchema, unsupportedParts } from "../spell/toolSchema.ts"
import { retryAfterOf } from "./aiSdkError.ts"
import { maxAnswerSize, partSizeOf, tooLongText } from "./answerSize.ts"
import { Conversations } from "./Conversations.ts"
import { RetriesHere } from "./retryModel.ts"
import { mendCalls } from "./mendCalls.ts"
import { type ModelDelta, ModelFault, type ModelRequest, type ModelResponse, type ModelService } from "./ModelBranch.ts"

/** Maximum tokens of one answer that are counted: a server may send any number. */
const maxTokens = 1_000_000_000_000

const encodePrompt = Schema.encodeEffect(Prompt.Prompt)
const decodeMessage = Schema.decodeUnknownEffect(Prompt.Message)
const toJson = Schema.decodeUnknownSync(Schema.Json)

/** Options of {@link modelService}. */
export interface ModelServiceOptions {
  /**
   * The JSON Schema that the model is given: `"openai"` makes the tools strict, as far as it can express their parameters. The
   * AI SDK converts `"mcp"` for Google and Anthropic itself. Default: `"mcp"`.
   */
  readonly dialect?: "openai" | "mcp" | undefined
  /** Whether the answer is asked for as a stream. Default: `true`. */
  readonly isStreaming?: boolean | undefined
}

const decodedMessages = new WeakMap<object, Prompt.Message>()

/** Decodes messages, each once, because a prompt begins with the messages of the previous one. */
const decodeMessages = (messages: ReadonlyArray<Schema.Json>): Effect.Effect<Prompt.Prompt, Schema.SchemaError> =>
  Effect.gen(function* () {
    const decoded: Array<Prompt.Message> = []
    for (const message of messages) {
      const known = typeof message === "object" && message !== null ? decodedMessages.get(message) : undefined
      const one = known ?? (yield* decodeMessage(message))
      if (typeof message === "object" && message !== null) decodedMessages.set(message, one)
      decoded.push(one)
    }
    return Prompt.fromMessages(decoded)
  })

type Part = Response.StreamPart<Record<string, Tool.Any>> | Response.Part<Record<string, Tool.Any>>

/** The tool by which a model learns of a spell. */
const toolOf = (spell: Spell<string, unknown>, dialect: "openai" | "mcp") => {
  const { description, name } = spell
  // A tool that cannot be strict is offered without strictness.
  const isStrict = dialect === "openai" && unsupportedParts(spell, dialect).length === 0
  const tool = Tool.dynamic(name, { description, parameters: toolSchema(spell, isStrict ? "openai" : "mcp") })
  return dialect === "openai" ? tool.annotate(Tool.Strict, isStrict) : tool
}

/** The fault for an error of `effect/ai`, or for an answer that does not match its Schemas. */
const faultOf = (
  { correlationId }: ModelRequest,
  error: AiError.AiError | Schema.SchemaError,
  now: number,
): ModelFault => {
  const message = `model: ${error.message}`
  if (error._tag === "SchemaError") {
    return new ModelFault({ correlationId, faultKind: "InvalidOutputError", message, isRetryable: true })
  }
  const { isRetryable, reason } = error
  const retryAfter = retryAfterOf(error, now)
  return new ModelFault({
    correlationId,
    faultKind: reason._tag,
    message,
    isRetryable,
    ...(retryAfter === undefined ? undefined : { retryAfterMillis: Math.ceil(Duration.toMillis(retryAfter)) }),
  })
}

const deltaOf = (correlationId: string, part: Part): ModelDelta | undefined =>
  part.type === "text-delta"
    ? { _tag: "ModelDelta", correlationId, kind: "text", text: part.delta }
    : part.type === "reasoning-delta"
    ? { _tag: "ModelDelta", correlationId, kind: "reasoning", text: part.delta }
    : undefined

const tokensOf = (tokens: number | undefined): number =>
  tokens !== undefined && tokens > 0 ? Math.min(Math.round(tokens), maxTokens) : 0

/** The whole answer; a fault if it is unfinished or empty. */
const responseOf = (
  { correlationId }: ModelRequest,
  parts: ReadonlyArray<Part>,
): Effect.Effect<ModelResponse, ModelFault | Schema.SchemaError> =>
  Effect.gen(function* () {
    const fail = (faultKind: string, what: string) =>
      Effect.fail(new ModelFault({ correlationId, faultKind, message: `model: ${what}`, isRetryable: true }))
    const finish = parts.find((part) => part.type === "finish")
    if (finish === undefined) return yield* fail("IncompleteAnswer", "the answer broke off before its end")
    if (finish.reason === "error") return yield* fail("IncompleteAnswer", "the provider ended its answer with an error")
    const { content } = yield* encodePrompt(Prompt.fromResponseParts(parts))
    const { inputTokens, outputTokens } = finish.usage
    const text = parts.map((part) => part.type === "text-delta" ? part.delta : part.type === "text" ? part.text : "")
      .join("")
    const toolCalls = parts.flatMap((part) =>
      part.type === "tool-call" && part.providerExecuted !== true
        ? [{ id: part.id, name: part.name, arguments: toJson(part.params) }]
        : []
    )
    const isEmpty = text === "" && toolCalls.length === 0
    if (isEmpty && finish.reason !== "length" && finish.reason !== "content-filter") {
      return yield* fail("EmptyAnswer", "the answer has no text and calls no tool")
    }
    return {
      _tag: "ModelResponse",
      correlationId,
      text,
      toolCalls,
      messages: content.map((message) => toJson(message)),
      finishReason: finish.reason,
      inputTokens: tokensOf(inputTokens.total),
      cachedInputTokens: tokensOf(inputTokens.cacheRead),
      cacheWriteTokens: tokensOf(inputTokens.cacheWrite),
      outputTokens: tokensOf(outputTokens.total),
    }
  })

/**
 * Makes the service, which asks once and streams the answer: tool calls and retries are left to its caller. The prompt
 * of a request that follows another is assembled from memory, or from the journal of the context, if there is one.
 *
 * @example
 * ```ts
 * import { ModelRequest, modelService } from "@sluice/shell/agent"
 * import { Spellbook } from "@sluice/shell/spell"
 * import { MockModel } from "@sluice/shell/testing"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { request } = yield* modelService(Spellbook.make())
 *   const prompt = [{ role: "user", content: "Say hello." }]
 *   return yield* Stream.runCollect(request(ModelRequest.make({ correlationId: "q/1", added: prompt, tools: [] })))
 * })
 * const model = MockModel.layer([MockModel.turn({ text: "Hello you." })])
 * const events = await Effect.runPromise(Effect.provide(program, model))
 * console.log(events.map(({ _tag }) => _tag).join()) // ModelDelta,ModelDelta,ModelResponse
 * ```
 */
export const modelService = (
  book: Spellbook<unknown>,
  { dialect = "mcp", isStreaming = true }: ModelServiceOptions = {},
): Effect.Effect<ModelService, never, LanguageModel.LanguageModel> =>
  Effect.gen(function* () {
    const model = yield* LanguageModel.LanguageModel
    const conversations = new Conversations(yield* Effect.serviceOption(Journal))
    const allTools = [...book.spells.values()].map((spell) => toolOf(spell, dialect))

    const answer = (request: ModelRequest, messages: ReadonlyArray<Schema.Json>) =>
      Stream.unwrap(Effect.gen(function* () {
        const { correlationId } = request
        const prompt = yield* decodeMessages(messages)
        const { tools } = Toolkit.make(...allTools.filter(({ name }) => request.tools.includes(name)))
        const parts: Array<Part> = []
        let size = 0
        const question = {
          prompt,
          toolkit: { tools, handle: () => Effect.die("an agent casts spells itself") },
          disableToolCallResolution: true,
          toolCallValidation: "deferred",
        } as const
        const answered: Stream.Stream<Part, AiError.AiError | Schema.SchemaError> = isStreaming
          ? model.streamText(question)
          : Stream.fromIterableEffect(Effect.map(model.generateText(question), ({ content }) => content))
        const streamed = answered.pipe(
          Stream.mapEffect((part): Effect.Effect<ModelDelta | undefined, ModelFault | AiError.AiError> => {
            if (part.type === "error") {
              const message = `model: ${part.error instanceof Error ? part.error.message : String(part.error)}`
              return Effect.fail(
                new ModelFault({ correlationId, faultKind: "StreamError", message, isRetryable: true }),
              )
            }
            parts.push(part)
            size += partSizeOf(part)
            if (size <= maxAnswerSize) return Effect.succeed(deltaOf(correlationId, part))
            const message = `model: ${tooLongText}`
            return Effect.fail(
              new ModelFault({ correlationId, faultKind: "AnswerTooLong", message, isRetryable: false }),
            )
          }),
          Stream.filter((delta) => delta !== undefined),
        )
        const whole = Stream.fromEffect(Effect.suspend(() => responseOf(request, mendCalls(parts, correlationId))))
          .pipe(
            Stream.tap((response) =>
              Effect.sync(() => conversations.remember(request, [...messages, ...response.messages]))
            ),
          )
        return Stream.concat(streamed, whole)
      }))

    return {
      request: (request) =>
        Stream.fromEffect(conversations.promptOf(request)).pipe(
          Stream.flatMap((messages) => answer(request, messages)),
          // The fault tells the caller whether to retry; further retries by the model would multiply the requests.
          Stream.provideService(RetriesHere, false),
          Stream.catch((error) =>
            error._tag === "ModelFault" ? Stream.fail(error) : Stream.fromEffect(
              Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.fail(faultOf(request, error, now))),
            )
          ),
        ),
    }
  })
