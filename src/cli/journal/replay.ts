/**
 * Implements `sluice journal replay`: prints the output of a command again, at its original pace.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isOpen } from "../../history/CommandRecord.ts"
import { commandOutput, entriesOf } from "../../history/commandOutput.ts"
import { UsageError } from "../UsageError.ts"
import type { CliOutput, SubcommandEffect } from "./CliOutput.ts"
import { entryLines } from "./entryLines.ts"
import type { CommandRequest } from "./JournalRequest.ts"
import { checkAttempt, resolveCommand } from "./resolveCommand.ts"
import { exitStatusOfState } from "./stateText.ts"
import { fdOf } from "./writePieces.ts"

/** Longest that one sleep may be: a timer takes no more. */
const maxSleep = 2 ** 31 - 1

/**
 * What waits until an instant of the recording has come, which began at `start`, at a speed. Each wait is from the
 * beginning of the replay, so that small delays do not add up.
 */
export const makeReplayClock = (start: number, speed: number): Effect.Effect<(time: number) => Effect.Effect<void>> =>
  Effect.map(Clock.clockWith((clock) => Effect.sync(() => clock)), (clock) => {
    const began = clock.currentTimeMillisUnsafe()
    return (time) =>
      Effect.suspend(() => {
        // Faster than any clock: `Infinity`, and then there is nothing to wait for.
        const left = (time - start) / speed - (clock.currentTimeMillisUnsafe() - began)
        return left > 0 ? Effect.sleep(Math.min(left, maxSleep)) : Effect.void
      })
  })

/** Replays a command, and ends as it ended. */
export const replay = (
  { attempt, commandId, speed }: CommandRequest & { readonly speed: number },
  desk: CliOutput,
): SubcommandEffect =>
  Effect.gen(function* () {
    const record = yield* resolveCommand(commandId)
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
    if (desk.json) {
      const entries = entriesOf(record, { attempt: run?.number })
      yield* Stream.runForEach(entries, (entry) => Effect.andThen(wait(entry.time), desk.write(1, entryLines([entry]))))
      return exitStatusOfState(record.state)
    }
    yield* Stream.runForEach(
      commandOutput(record, { attempt }),
      (piece) => Effect.andThen(wait(piece.timestamp), desk.write(fdOf(piece), piece.bytes)),
    )
    const isLast = run === record.attempts.at(-1)
    if (isLast && record.ended !== undefined) yield* wait(record.ended)
    if (record.state._tag === "Faulted") yield* desk.say(record.state.message.replace(/^exec: /, ""))
    return exitStatusOfState(record.state)
  })
