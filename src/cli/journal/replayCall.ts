/** Answers a tool call or a spell again from the journal, for `sluice journal replay`, and acts on nothing. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ToolCallBranch } from "../../agent/ToolCallBranch.ts"
import { decodeRequestEntry } from "../../branch/BranchDefinition.ts"
import { recordedAnswer } from "../../branch/recordedAnswer.ts"
import type { Message, ServiceBranch } from "../../branch/ServiceBranch.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { SpellcastingBranch } from "../../spell/SpellcastingBranch.ts"
import type { CliOutput, SubcommandError } from "./CliOutput.ts"

interface CallResult {
  readonly result: Schema.Json
  readonly isFailure?: boolean | undefined
}

type Replayed = CallResult | { readonly message: string }

const isResult = (event: CallResult | { readonly text: string }): event is CallResult => "result" in event

/** The recorded answer to a request of a branch; `undefined` when the journal has no request with this id. */
const answerOf = <
  Request extends Message,
  Event extends Message & (CallResult | { readonly text: string }),
  Fault extends Message & { readonly message: string },
>(
  branch: ServiceBranch<Request, Event, Fault>,
  correlationId: string,
): Effect.Effect<Replayed | undefined, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const filter = { branch: branch.name, correlationId, tags: branch.request.tags }
    const [entry] = yield* journal.readBackward({ filter, limit: 1 })
    if (entry === undefined) return undefined
    const request = decodeRequestEntry(branch, entry)
    if (request === undefined) return undefined
    if (Result.isFailure(request)) return yield* Effect.fail(request.failure)
    const answer = yield* Effect.result(
      Stream.runLast(recordedAnswer(journal, branch, request.success, entry)),
    )
    if (Result.isFailure(answer)) return answer.failure
    const last = Option.getOrUndefined(answer.success)
    return last !== undefined && isResult(last) ? last : undefined
  })

/** Prints the recorded answer of a call and returns its exit status; `undefined` when the journal has no such call. */
export const replayCall = (
  id: string,
  cliOutput: CliOutput,
): Effect.Effect<number | undefined, SubcommandError, Journal> =>
  Effect.gen(function* () {
    const answer = (yield* answerOf(ToolCallBranch, id)) ?? (yield* answerOf(SpellcastingBranch, id))
    if (answer === undefined) return undefined
    if ("message" in answer) {
      yield* cliOutput.say(answer.message)
      return 1
    }
    yield* cliOutput.value(answer.result)
    return answer.isFailure === true ? 1 : 0
  })
