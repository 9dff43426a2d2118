/** Declares the Approval branch: questions whether a spell may be cast are its requests, answers its events. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import {
  makeServiceBranch,
  requestFailureKinds,
  type RequestService,
  type ServiceBranch,
} from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"
import { ApprovalRule } from "./ApprovalRule.ts"

/**
 * Schema of the question whether a spell may be cast. `about` describes the call for people; `suggestions` are the rules
 * that an answer may store, one for each part in question.
 */
export const ApprovalRequest: Schema.TaggedStruct<"ApprovalRequest", {
  readonly correlationId: typeof CommandId
  readonly invocationId: typeof CommandId
  readonly spell: typeof Schema.String
  readonly arguments: typeof Schema.Json
  readonly about: typeof Schema.String
  readonly suggestions: Schema.$Array<typeof ApprovalRule>
  readonly timeoutMillis: Schema.optionalKey<typeof Schema.Finite>
}> = Schema.TaggedStruct("ApprovalRequest", {
  correlationId: CommandId,
  invocationId: CommandId,
  spell: Schema.String,
  arguments: Schema.Json,
  about: Schema.String,
  suggestions: Schema.Array(ApprovalRule),
  timeoutMillis: Schema.optionalKey(Schema.Finite),
})

export interface ApprovalRequest extends Schema.Schema.Type<typeof ApprovalRequest> {}

const answerFields: {
  readonly decision: Schema.Literals<readonly ["allow", "deny"]>
  readonly remember: Schema.optionalKey<Schema.Literals<readonly ["run", "folder"]>>
  readonly rule: Schema.optionalKey<typeof ApprovalRule>
  readonly reason: Schema.optionalKey<typeof Schema.String>
  readonly by: Schema.optionalKey<typeof Schema.String>
} = {
  decision: Schema.Literals(["allow", "deny"]),
  remember: Schema.optionalKey(Schema.Literals(["run", "folder"])),
  rule: Schema.optionalKey(ApprovalRule),
  reason: Schema.optionalKey(Schema.String),
  by: Schema.optionalKey(Schema.String),
}

/**
 * The answer to a question: `allow` this once, or with `remember` for the rest of the run or always in this folder, as far
 * as `rule` goes (default: all suggestions of the question); or `deny`, with a `reason` for the model. `by` names the person
 * or program that answered.
 */
export const ApprovalReply: Schema.Struct<{
  readonly decision: Schema.Literals<readonly ["allow", "deny"]>
  readonly remember: Schema.optionalKey<Schema.Literals<readonly ["run", "folder"]>>
  readonly rule: Schema.optionalKey<typeof ApprovalRule>
  readonly reason: Schema.optionalKey<typeof Schema.String>
  readonly by: Schema.optionalKey<typeof Schema.String>
}> = Schema.Struct(answerFields)

export interface ApprovalReply extends Schema.Schema.Type<typeof ApprovalReply> {}

/** Schema of the answer to an {@link ApprovalRequest}: an {@link ApprovalReply} with the id of the question. */
export const ApprovalAnswer: Schema.TaggedStruct<
  "ApprovalAnswer",
  {
    readonly correlationId: typeof CommandId
    readonly decision: Schema.Literals<readonly ["allow", "deny"]>
    readonly remember: Schema.optionalKey<Schema.Literals<readonly ["run", "folder"]>>
    readonly rule: Schema.optionalKey<typeof ApprovalRule>
    readonly reason: Schema.optionalKey<typeof Schema.String>
    readonly by: Schema.optionalKey<typeof Schema.String>
  }
> = Schema.TaggedStruct("ApprovalAnswer", { correlationId: CommandId, ...answerFields })

export interface ApprovalAnswer extends Schema.Schema.Type<typeof ApprovalAnswer> {}

const ApprovalFaultKind: Schema.Literals<readonly [...typeof requestFailureKinds, "CannotAsk", "Busy"]> = Schema
  .Literals([
    ...requestFailureKinds,
    "CannotAsk",
    "Busy",
  ])

const FaultBase: Schema.Class<
  ApprovalFault,
  Schema.TaggedStruct<
    "ApprovalFault",
    {
      readonly correlationId: typeof CommandId
      readonly faultKind: typeof ApprovalFaultKind
      readonly message: typeof Schema.String
    }
  >,
  Cause.YieldableError
> = Schema.TaggedError<ApprovalFault>()("ApprovalFault", {
  correlationId: CommandId,
  faultKind: ApprovalFaultKind,
  message: Schema.String,
})

/**
 * A question without an answer: no approver could ask it (`CannotAsk`), too many questions are waiting (`Busy`), or the
 * question was withdrawn. The call is denied.
 */
export class ApprovalFault extends FaultBase {}

/** A service that answers questions whether spells may be cast, usually by asking people. */
export interface ApproverService extends RequestService<ApprovalRequest, ApprovalAnswer, ApprovalFault> {}

/**
 * The Approval branch. A question may be asked again after its daemon was lost.
 *
 * @example
 * ```ts
 * import { ApprovalBranch, Approver } from "@sluice/shell/spell"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * // The answers that people gave, in a journal.
 * const answers = Journal.read({ filter: { branch: ApprovalBranch.name, tags: ["ApprovalAnswer"] } })
 * const entries = await Effect.runPromise(Effect.provide(answers, MemoryJournal.layer))
 * console.log(entries.length === 0 && Approver.layerJournaled !== undefined) // true
 * ```
 */
export const ApprovalBranch: ServiceBranch<ApprovalRequest, ApprovalAnswer, ApprovalFault> = makeServiceBranch({
  name: "approval",
  request: { tags: ["ApprovalRequest"], schema: ApprovalRequest },
  event: { tags: ["ApprovalAnswer"], schema: ApprovalAnswer },
  fault: { tags: ["ApprovalFault"], schema: ApprovalFault },
  makeFault: ({ correlationId }, { kind, what }) =>
    new ApprovalFault({ correlationId, faultKind: kind, message: `approval: ${what}` }),
  canRerun: () => true,
})

export const askOne = (
  approver: ApproverService,
  question: ApprovalRequest,
): Effect.Effect<ApprovalAnswer, ApprovalFault> =>
  Effect.flatMap(
    Stream.runHead(approver.request(question)),
    Option.match({
      onSome: Effect.succeed,
      onNone: () => {
        const { correlationId } = question
        return Effect.fail(
          new ApprovalFault({ correlationId, faultKind: "Broken", message: "approval: there was no answer" }),
        )
      },
    }),
  )
