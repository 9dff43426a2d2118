/** Implements `sluice journal replay`: prints the output of a command at its original pace, or a recorded answer. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { maxTimerMillis } from "../../base/maxTimerMillis.ts"
import { isOpen } from "../../history/CommandRecord.ts"
import { commandOutput, entriesOf } from "../../history/commandOutput.ts"
import { fdOf } from "../printRun.ts"
import { UsageError } from "../UsageError.ts"
import { type CliOutput, entryLines, type SubcommandEffect, type SubcommandError } from "./CliOutput.ts"
import type { ReplayFlags } from "./flags.ts"
import { withRecordedOutput } from "./RecordedOutput.ts"
import { checkAttempt, resolveCommand } from "./resolveCommand.ts"
import { exitStatusOfState } from "./stateText.ts"
import { ToolCallBranch } from "../../agent/ToolCallBranch.ts"
import { decodeRequestEntry } from "../../branch/BranchDefinition.ts"
import { recordedAnswer } from "../../branch/recordedAnswer.ts"
import type { Message, ServiceBranch } from "../../branch/ServiceBranch.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { SpellcastingBranch } from "../../spell/SpellcastingBranch.ts"

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
    const [entry] = yield* journal.readBackward({ filter, maxEntries: 1 })
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
const replayCall = (
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

/**
 * Makes a function that sleeps until a time of the recording, which began at `start`, at a speed. Every sleep is computed
 * from the beginning of the replay, so that small delays do not add up.
 */
export const makeReplayClock = (start: number, speed: number): Effect.Effect<(time: number) => Effect.Effect<void>> =>
  Effect.map(Clock.clockWith((clock) => Effect.sync(() => clock)), (clock) => {
    const startedAt = clock.currentTimeMillisUnsafe()
    return (time) =>
      Effect.suspend(() => {
        // At speed `Infinity` there is no wait.
        const left = (time - start) / speed - (clock.currentTimeMillisUnsafe() - startedAt)
        return left > 0 ? Effect.sleep(Math.min(left, maxTimerMillis)) : Effect.void
      })
  })

/** Prints the output of a command, or the answer of a tool call, again and returns its exit status. */
export const replay = (id: string, { attempt, speed = 1 }: ReplayFlags, cliOutput: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const answered = yield* replayCall(id, cliOutput)
    if (answered !== undefined) return answered
    const record = yield* resolveCommand(id)
    yield* checkAttempt(record, attempt)
    if (isOpen(record)) {
      return yield* Effect.fail(
        new UsageError(`${record.commandId} has not ended; sluice journal tail ${record.commandId} follows it`),
      )
    }
    const run = attempt === undefined
      ? record.attempts.at(-1)
      : record.attempts.find(({ number }) => number === attempt)
    const wait = yield* makeReplayClock(run?.time ?? record.requested, speed)
    if (cliOutput.json) {
      const entries = entriesOf(record, { attempt: run?.number })
      yield* Stream.runForEach(
        entries,
        (entry) => Effect.andThen(wait(entry.time), cliOutput.write(1, entryLines([entry]))),
      )
      return exitStatusOfState(record.state)
    }
    yield* withRecordedOutput(cliOutput, "screen", (recorded) =>
      Stream.runForEach(
        commandOutput(record, { attempt }),
        (piece) => Effect.andThen(wait(piece.timestamp), recorded.write(fdOf(piece.stream), piece.bytes)),
      ))
    const isLast = run === record.attempts.at(-1)
    if (isLast && record.ended !== undefined) yield* wait(record.ended)
    if (record.state._tag === "Faulted") yield* cliOutput.say(record.state.message)
    return exitStatusOfState(record.state)
  })
