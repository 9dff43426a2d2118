/** Implements `sluice journal replay`: prints the output of a command at its original pace, or a recorded answer. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isOpen } from "../../history/CommandRecord.ts"
import { commandOutput, entriesOf } from "../../history/commandOutput.ts"
import { fdOf } from "../printRun.ts"
import { UsageError } from "../UsageError.ts"
import { type CliOutput, entryLines, type SubcommandEffect } from "./CliOutput.ts"
import type { ReplayFlags } from "./flags.ts"
import { withRecordedOutput } from "./RecordedOutput.ts"
import { replayCall } from "./replayCall.ts"
import { checkAttempt, resolveCommand } from "./resolveCommand.ts"
import { exitStatusOfState } from "./stateText.ts"

/** Maximum delay of one timer. */
const maxSleep = 2 ** 31 - 1

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
        return left > 0 ? Effect.sleep(Math.min(left, maxSleep)) : Effect.void
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
