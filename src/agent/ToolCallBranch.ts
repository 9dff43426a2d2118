/**
 * Declares the branch of agents' tool calls: a model's call is its request; the command's output and the answer to the model
 * are its events.
 *
 * A call takes two hops: an agent's loop asks the service of this branch, and `toolRoutes` (like `toolService`) forwards the
 * call to the Spellcasting branch and returns its answer. `Agent.journaled` records both.
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import {
  makeServiceBranch,
  requestFailureKinds,
  type RequestService,
  type ServiceBranch,
} from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"

/**
 * Schema of a call of a tool by an agent. `callId` is the model's id of it, `arguments` are as the model wrote them,
 * unless `redacted` says that a journal's redactor has changed them.
 */
export const AgentToolCall: Schema.TaggedStruct<"AgentToolCall", {
  readonly correlationId: typeof CommandId
  readonly callId: typeof Schema.String
  readonly name: typeof Schema.String
  readonly arguments: typeof Schema.Json
  readonly redacted: Schema.optionalKey<typeof Schema.Boolean>
}> = Schema.TaggedStruct("AgentToolCall", {
  correlationId: CommandId,
  callId: Schema.String,
  name: Schema.String,
  arguments: Schema.Json,
  redacted: Schema.optionalKey(Schema.Boolean),
})

export interface AgentToolCall extends Schema.Schema.Type<typeof AgentToolCall> {}

/**
 * Schema of the output of a command that a call runs, in windows of its policy. It is shown to people; the model gets the
 * result.
 */
export const AgentToolCallProgress: Schema.TaggedStruct<"AgentToolCallProgress", {
  readonly correlationId: typeof CommandId
  readonly callId: typeof Schema.String
  readonly name: typeof Schema.String
  readonly text: typeof Schema.String
}> = Schema.TaggedStruct("AgentToolCallProgress", {
  correlationId: CommandId,
  callId: Schema.String,
  name: Schema.String,
  text: Schema.String,
})

export interface AgentToolCallProgress extends Schema.Schema.Type<typeof AgentToolCallProgress> {}

/** Schema of the answer to the model: the result of the spell or, with `isFailure`, the reason why there is none. */
export const AgentToolCallResult: Schema.TaggedStruct<"AgentToolCallResult", {
  readonly correlationId: typeof CommandId
  readonly callId: typeof Schema.String
  readonly name: typeof Schema.String
  readonly result: typeof Schema.Json
  readonly isFailure: typeof Schema.Boolean
}> = Schema.TaggedStruct("AgentToolCallResult", {
  correlationId: CommandId,
  callId: Schema.String,
  name: Schema.String,
  result: Schema.Json,
  isFailure: Schema.Boolean,
})

export interface AgentToolCallResult extends Schema.Schema.Type<typeof AgentToolCallResult> {}

const FaultBase: Schema.Class<
  AgentToolCallFault,
  Schema.TaggedStruct<"AgentToolCallFault", {
    readonly correlationId: typeof CommandId
    readonly name: typeof Schema.String
    readonly faultKind: Schema.Literals<typeof requestFailureKinds>
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<AgentToolCallFault>()("AgentToolCallFault", {
  correlationId: CommandId,
  name: Schema.String,
  faultKind: Schema.Literals(requestFailureKinds),
  message: Schema.String,
})

/**
 * A call that has no result because its agent ended, or the journal failed. What went wrong with the spell is an
 * {@link AgentToolCallResult}.
 */
export class AgentToolCallFault extends FaultBase {}

/** A service that answers the tool calls of agents. */
export interface ToolCallService
  extends RequestService<AgentToolCall, AgentToolCallProgress | AgentToolCallResult, AgentToolCallFault> {}

/**
 * The branch of tool calls.
 *
 * @example
 * ```ts
 * import { AgentToolCall, ToolCallBranch } from "@sluice/shell/agent"
 *
 * const call = AgentToolCall.make({ correlationId: "run-1/2/1", callId: "c7", name: "read_file", arguments: { path: "a" } })
 * console.log(ToolCallBranch.request.encode(call)["callId"]) // c7
 * ```
 */
export const ToolCallBranch: ServiceBranch<
  AgentToolCall,
  AgentToolCallProgress | AgentToolCallResult,
  AgentToolCallFault
> = makeServiceBranch<AgentToolCall, AgentToolCallProgress | AgentToolCallResult, AgentToolCallFault>({
  name: "agent",
  constantName: "ToolCallBranch",
  request: { tags: ["AgentToolCall"], schema: AgentToolCall },
  event: {
    tags: ["AgentToolCallProgress", "AgentToolCallResult"],
    schema: Schema.Union([AgentToolCallProgress, AgentToolCallResult]),
  },
  pieces: ["AgentToolCallProgress"],
  fault: { tags: ["AgentToolCallFault"], schema: AgentToolCallFault },
  makeFault: ({ correlationId, name }, { kind, what }) =>
    new AgentToolCallFault({ correlationId, name, faultKind: kind, message: `${name}: ${what}` }),
  // The branch only forwards the call, under an id derived from its own: the spell is what must not be cast twice.
  canRerun: () => true,
})
