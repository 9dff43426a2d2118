/** Declares the branch of agent runs: the task and options of a run are its request, its end is its event. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { makeServiceBranch, type ServiceBranch } from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"
import { AgentEvent } from "./AgentEvent.ts"

const positive: typeof Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/**
 * Maximum size of the conversation. Beyond `maxTokens` it is trimmed to three fifths of that; the newest `keepTurns` stay.
 * With `summarize` the model is asked for a summary of the turns that are dropped.
 */
export const ContextLimits: Schema.Struct<{
  readonly maxTokens: typeof Schema.Int
  readonly keepTurns: typeof Schema.Int
  readonly summarize: typeof Schema.Boolean
}> = Schema.Struct({ maxTokens: positive, keepTurns: positive, summarize: Schema.Boolean })

export interface ContextLimits extends Schema.Schema.Type<typeof ContextLimits> {}

/**
 * Schema of the request of a run: its task and its options. The ids of all its requests begin with its id. `model`,
 * `place` and `approval` are for people: a different model may continue the run.
 */
export const AgentRun: Schema.TaggedStruct<"AgentRun", {
  readonly correlationId: typeof CommandId
  readonly task: typeof Schema.String
  readonly system: Schema.optionalKey<typeof Schema.String>
  readonly tools: Schema.$Array<typeof Schema.String>
  readonly context: typeof ContextLimits
  readonly model: Schema.optionalKey<typeof Schema.String>
  readonly place: Schema.optionalKey<typeof Schema.String>
  readonly approval: Schema.optionalKey<typeof Schema.String>
}> = Schema.TaggedStruct("AgentRun", {
  correlationId: CommandId,
  task: Schema.String,
  system: Schema.optionalKey(Schema.String),
  tools: Schema.Array(Schema.String),
  context: ContextLimits,
  model: Schema.optionalKey(Schema.String),
  place: Schema.optionalKey(Schema.String),
  approval: Schema.optionalKey(Schema.String),
})

export interface AgentRun extends Schema.Schema.Type<typeof AgentRun> {}

const FaultBase: Schema.Class<
  AgentFault,
  Schema.TaggedStruct<
    "AgentFault",
    {
      readonly correlationId: typeof CommandId
      readonly faultKind: typeof Schema.String
      readonly message: typeof Schema.String
    }
  >,
  Cause.YieldableError
> = Schema.TaggedError<AgentFault>()("AgentFault", {
  correlationId: CommandId,
  faultKind: Schema.String,
  message: Schema.String,
})

/**
 * A run that failed: its model did not answer (`faultKind` is that of the `ModelFault`), its id belongs to another run
 * (`OtherRun`) or to one that still goes on (`AlreadyRunning`), or its journal failed.
 */
export class AgentFault extends FaultBase {}

/** Events that a journal stores in more detail in the branches of models and tool calls. */
const transient = [
  "ModelDelta",
  "ModelResponse",
  "ModelRetry",
  "AgentToolCall",
  "AgentToolCallProgress",
  "AgentToolCallResult",
  "AgentTrim",
] as const

/**
 * The branch of runs. Only the end event is journaled here; the others are in the branches of models and spells.
 *
 * @example
 * ```ts
 * import { AgentRun, AgentRunBranch } from "@sluice/shell/agent"
 *
 * const context = { maxTokens: 100_000, keepTurns: 4, summarize: false }
 * const run = AgentRun.make({ correlationId: "run-1", task: "fix the failing test", tools: ["read_file"], context })
 * console.log(AgentRunBranch.request.encode(run)["task"]) // fix the failing test
 * ```
 */
export const AgentRunBranch: ServiceBranch<AgentRun, AgentEvent, AgentFault> = makeServiceBranch({
  name: "agent-run",
  request: { tags: ["AgentRun"], schema: AgentRun },
  event: { tags: [...transient, "AgentEnd"], schema: AgentEvent },
  transient,
  fault: { tags: ["AgentFault"], schema: AgentFault },
  makeFault: ({ correlationId }, { kind, what }) =>
    new AgentFault({ correlationId, faultKind: kind, message: `agent: ${what}` }),
  canRerun: () => true,
})
