/**
 * Declares the Schemas of the events of a run: text of the model, calls of tools and their results, and the end of the
 * run.
 */
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import { AgentUsage } from "./AgentUsage.ts"
import { ModelDelta, ModelResponse } from "./ModelBranch.ts"
import { AgentToolCall, AgentToolCallProgress, AgentToolCallResult } from "./ToolCallBranch.ts"

const count: typeof Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Schema of the event that a model is asked again after a fault. Discard the part of its answer that was already shown.
 */
export const ModelRetry: Schema.TaggedStruct<"ModelRetry", {
  readonly correlationId: typeof CommandId
  readonly message: typeof Schema.String
  readonly delayMillis: typeof Schema.Int
}> = Schema.TaggedStruct("ModelRetry", { correlationId: CommandId, message: Schema.String, delayMillis: count })

export interface ModelRetry extends Schema.Schema.Type<typeof ModelRetry> {}

/**
 * Schema of the event that the conversation is trimmed: results of `shortened` turns were shortened, and `dropped` turns were
 * left out.
 */
export const AgentTrim: Schema.TaggedStruct<"AgentTrim", {
  readonly correlationId: typeof CommandId
  readonly shortened: typeof Schema.Int
  readonly dropped: typeof Schema.Int
}> = Schema.TaggedStruct("AgentTrim", { correlationId: CommandId, shortened: count, dropped: count })

export interface AgentTrim extends Schema.Schema.Type<typeof AgentTrim> {}

/**
 * The reason for the end of a run. `done`: the model called no more tools. `refused`: its provider withheld the answer.
 * `length`: the answer was cut off at the limit of the model. `turns`, `tokens`, `cost`, `time`: a limit of the run.
 * `stopped`: its predicate. `interrupted`: its `interrupt`.
 */
export const AgentEndCause: Schema.Literals<
  readonly ["done", "refused", "length", "turns", "tokens", "cost", "time", "stopped", "interrupted"]
> = Schema.Literals(["done", "refused", "length", "turns", "tokens", "cost", "time", "stopped", "interrupted"])

export type AgentEndCause = typeof AgentEndCause.Type

/** Schema of the end of a run, with the last text of the model. */
export const AgentEnd: Schema.TaggedStruct<"AgentEnd", {
  readonly correlationId: typeof CommandId
  readonly because: typeof AgentEndCause
  readonly text: typeof Schema.String
  readonly turns: typeof Schema.Int
  readonly toolCalls: typeof Schema.Int
  readonly usage: typeof AgentUsage
}> = Schema.TaggedStruct("AgentEnd", {
  correlationId: CommandId,
  because: AgentEndCause,
  text: Schema.String,
  turns: count,
  toolCalls: count,
  usage: AgentUsage,
})

export interface AgentEnd extends Schema.Schema.Type<typeof AgentEnd> {}

/** Schema of {@link AgentEvent}. */
export const AgentEvent: Schema.Union<
  readonly [
    typeof ModelDelta,
    typeof ModelResponse,
    typeof ModelRetry,
    typeof AgentToolCall,
    typeof AgentToolCallProgress,
    typeof AgentToolCallResult,
    typeof AgentTrim,
    typeof AgentEnd,
  ]
> = Schema.Union([
  ModelDelta,
  ModelResponse,
  ModelRetry,
  AgentToolCall,
  AgentToolCallProgress,
  AgentToolCallResult,
  AgentTrim,
  AgentEnd,
])

/**
 * An event of a run, as it happens. The text of an answer comes in `ModelDelta`s, then whole in a `ModelResponse`.
 */
export type AgentEvent = typeof AgentEvent.Type
