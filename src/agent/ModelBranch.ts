/**
 * Declares the branch of language models: prompts are its requests, messages of the model its events.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { makeServiceBranch, type RequestService, type ServiceBranch } from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"

type Str = typeof Schema.String
type Int = typeof Schema.Int
type Id = typeof CommandId

const count: Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Schema of a request to a model. `prompt` are the encoded messages of `effect/ai`'s `Prompt`, `tools` the names of the
 * tools that it may call.
 *
 * @stability experimental
 */
export const ModelRequest: Schema.TaggedStruct<"ModelRequest", {
  readonly correlationId: Id
  readonly prompt: Schema.$Array<typeof Schema.Json>
  readonly tools: Schema.$Array<Str>
}> = Schema.TaggedStruct("ModelRequest", {
  correlationId: CommandId,
  prompt: Schema.Array(Schema.Json),
  tools: Schema.Array(Schema.String),
})

/**
 * A request to a model.
 *
 * @stability experimental
 */
export interface ModelRequest extends Schema.Schema.Type<typeof ModelRequest> {}

/**
 * Schema of a call of a tool by a model. `arguments` are as the model wrote them.
 *
 * @stability experimental
 */
export const ModelToolCall: Schema.Struct<{
  readonly id: Str
  readonly name: Str
  readonly arguments: typeof Schema.Json
}> = Schema.Struct({ id: Schema.String, name: Schema.String, arguments: Schema.Json })

/**
 * A call of a tool by a model.
 *
 * @stability experimental
 */
export interface ModelToolCall extends Schema.Schema.Type<typeof ModelToolCall> {}

/**
 * Schema of the answer of a model: its text, the tools it calls, the messages to add to the prompt, and the tokens it took.
 *
 * @stability experimental
 */
export const ModelResponse: Schema.TaggedStruct<"ModelResponse", {
  readonly correlationId: Id
  readonly text: Str
  readonly toolCalls: Schema.$Array<typeof ModelToolCall>
  readonly messages: Schema.$Array<typeof Schema.Json>
  readonly finishReason: Str
  readonly inputTokens: Int
  readonly outputTokens: Int
}> = Schema.TaggedStruct("ModelResponse", {
  correlationId: CommandId,
  text: Schema.String,
  toolCalls: Schema.Array(ModelToolCall),
  messages: Schema.Array(Schema.Json),
  finishReason: Schema.String,
  inputTokens: count,
  outputTokens: count,
})

/**
 * The answer of a model.
 *
 * @stability experimental
 */
export interface ModelResponse extends Schema.Schema.Type<typeof ModelResponse> {}

const FaultBase: Schema.Class<
  ModelFault,
  Schema.TaggedStruct<"ModelFault", { readonly correlationId: Id; readonly message: Str; readonly code: Str }>,
  Cause.YieldableError
> = Schema.TaggedError<ModelFault>()("ModelFault", {
  correlationId: CommandId,
  message: Schema.String,
  code: Schema.String,
})

/**
 * A model that did not answer. `code` is the reason of `effect/ai`'s error (`RateLimitError`, `AuthenticationError`).
 *
 * @stability experimental
 */
export class ModelFault extends FaultBase {}

/**
 * A service that asks a model.
 *
 * @stability experimental
 */
export interface ModelService extends RequestService<ModelRequest, ModelResponse, ModelFault> {}

/**
 * The branch of language models.
 *
 * @stability experimental
 */
export const ModelBranch: ServiceBranch<ModelRequest, ModelResponse, ModelFault> = makeServiceBranch({
  name: "model",
  request: { tags: ["ModelRequest"], schema: ModelRequest },
  event: { tags: ["ModelResponse"], schema: ModelResponse },
  fault: { tags: ["ModelFault"], schema: ModelFault },
  makeFault: ({ correlationId }, { kind, what }) =>
    new ModelFault({ correlationId, code: kind, message: `model: ${what}` }),
  // Asked again, a model changes nothing but the bill.
  canRerun: () => true,
})
