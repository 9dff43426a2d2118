/**
 * Declares the branch of language models: prompts are its requests, the model's messages its events.
 *
 * A request stores only what its run has added since the request before it, so a journal grows linearly with the
 * conversation.
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { makeServiceBranch, type RequestService, type ServiceBranch } from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"

const count: typeof Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Schema of a request to a model. `added` are encoded messages of `effect/ai`'s `Prompt`. With `follows` they come after the
 * prompt and the answer of the request of that turn, whose id differs from this one in its last part: `run-1/3` that follows 2
 * follows `run-1/2`. `tools` are the names of the tools that the model may call.
 */
export const ModelRequest: Schema.TaggedStruct<"ModelRequest", {
  readonly correlationId: typeof CommandId
  readonly follows: Schema.optionalKey<typeof Schema.Int>
  readonly added: Schema.$Array<typeof Schema.Json>
  readonly tools: Schema.$Array<typeof Schema.String>
}> = Schema.TaggedStruct("ModelRequest", {
  correlationId: CommandId,
  follows: Schema.optionalKey(count),
  added: Schema.Array(Schema.Json),
  tools: Schema.Array(Schema.String),
})

export interface ModelRequest extends Schema.Schema.Type<typeof ModelRequest> {}

/** Schema of a call of a tool by a model. `arguments` are as the model wrote them. */
export const ModelToolCall: Schema.Struct<{
  readonly id: typeof Schema.String
  readonly name: typeof Schema.String
  readonly arguments: typeof Schema.Json
}> = Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Json })

export interface ModelToolCall extends Schema.Schema.Type<typeof ModelToolCall> {}

/**
 * Schema of a piece of an answer while the model writes it: of its text, or of its reasoning. Journals do not store
 * pieces, only the whole answer.
 */
export const ModelDelta: Schema.TaggedStruct<"ModelDelta", {
  readonly correlationId: typeof CommandId
  readonly kind: Schema.Literals<readonly ["text", "reasoning"]>
  readonly text: typeof Schema.String
}> = Schema.TaggedStruct("ModelDelta", {
  correlationId: CommandId,
  kind: Schema.Literals(["text", "reasoning"]),
  text: Schema.String,
})

export interface ModelDelta extends Schema.Schema.Type<typeof ModelDelta> {}

/**
 * Schema of the answer of a model: its text, the tools it calls, the messages to add to the prompt, and its tokens.
 * `inputTokens` includes those that were read from a cache (`cachedInputTokens`) or written to it (`cacheWriteTokens`).
 * `redacted`: it was read from a journal whose redactor has changed it.
 */
export const ModelResponse: Schema.TaggedStruct<"ModelResponse", {
  readonly correlationId: typeof CommandId
  readonly text: typeof Schema.String
  readonly toolCalls: Schema.$Array<typeof ModelToolCall>
  readonly messages: Schema.$Array<typeof Schema.Json>
  readonly finishReason: typeof Schema.String
  readonly inputTokens: typeof Schema.Int
  readonly cachedInputTokens: typeof Schema.Int
  readonly cacheWriteTokens: typeof Schema.Int
  readonly outputTokens: typeof Schema.Int
  readonly redacted: Schema.optionalKey<typeof Schema.Boolean>
}> = Schema.TaggedStruct("ModelResponse", {
  correlationId: CommandId,
  text: Schema.String,
  toolCalls: Schema.Array(ModelToolCall),
  messages: Schema.Array(Schema.Json),
  finishReason: Schema.String,
  inputTokens: count,
  cachedInputTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  redacted: Schema.optionalKey(Schema.Boolean),
})

export interface ModelResponse extends Schema.Schema.Type<typeof ModelResponse> {}

const FaultBase: Schema.Class<
  ModelFault,
  Schema.TaggedStruct<"ModelFault", {
    readonly correlationId: typeof CommandId
    readonly faultKind: typeof Schema.String
    readonly message: typeof Schema.String
    readonly isRetryable: typeof Schema.Boolean
    readonly retryAfterMillis: Schema.optionalKey<typeof Schema.Int>
  }>,
  Cause.YieldableError
> = Schema.TaggedError<ModelFault>()("ModelFault", {
  correlationId: CommandId,
  faultKind: Schema.String,
  message: Schema.String,
  isRetryable: Schema.Boolean,
  retryAfterMillis: Schema.optionalKey(count),
})

/**
 * A model that did not answer. `faultKind` is the reason of `effect/ai`'s error (`RateLimitError`, `AuthenticationError`);
 * `isRetryable` says whether the same request may succeed later, `retryAfterMillis` how long the provider asks to wait.
 */
export class ModelFault extends FaultBase {}

/** A service that asks a model. */
export interface ModelService extends RequestService<ModelRequest, ModelDelta | ModelResponse, ModelFault> {}

/**
 * The branch of language models.
 *
 * @example
 * ```ts
 * import { ModelBranch, ModelResponse } from "@sluice/shell/agent"
 *
 * const response = ModelResponse.make({
 *   correlationId: "run-1/1",
 *   text: "Hello.",
 *   toolCalls: [],
 *   messages: [{ role: "assistant", content: "Hello." }],
 *   finishReason: "stop",
 *   inputTokens: 3,
 *   cachedInputTokens: 0,
 *   cacheWriteTokens: 0,
 *   outputTokens: 1,
 * })
 * console.log(ModelBranch.isLast(response) && ModelBranch.event.encode(response)["text"]) // Hello.
 * ```
 */
export const ModelBranch: ServiceBranch<ModelRequest, ModelDelta | ModelResponse, ModelFault> = makeServiceBranch({
  name: "model",
  request: { tags: ["ModelRequest"], schema: ModelRequest },
  event: { tags: ["ModelDelta", "ModelResponse"], schema: Schema.Union([ModelDelta, ModelResponse]) },
  transient: ["ModelDelta"],
  fault: { tags: ["ModelFault"], schema: ModelFault },
  makeFault: ({ correlationId }, { kind, what }) =>
    new ModelFault({ correlationId, faultKind: kind, message: `model: ${what}`, isRetryable: false }),
  // Asking a model again changes nothing except the bill.
  canRerun: () => true,
})
