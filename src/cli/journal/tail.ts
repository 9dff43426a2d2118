/** Implements `sluice journal tail`: follows one command to its end, or all. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { findCommand } from "../../history/findCommand.ts"
import { piecesOf } from "../../history/commandOutput.ts"
import { positionAt } from "../../history/positionAt.ts"
import { outcomeOf, requestTags } from "../../history/readRecord.ts"
import type { Entry } from "../../journal/Entry.ts"
import { Journal } from "../../journal/JournalService.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import { type CliOutput, entryLines, type SubcommandEffect } from "./CliOutput.ts"
import { CommandLog } from "./CommandLog.ts"
import { isoText } from "./formatValues.ts"
import type { TailFlags } from "./flags.ts"
import { LineAssembler } from "./LineAssembler.ts"
import { type RecordedOutput, withRecordedOutput, writePieces, writeTexts } from "./RecordedOutput.ts"
import { resolveCommand } from "./resolveCommand.ts"
import { makeTextStyles } from "./TextStyle.ts"
import { exitStatusOfState, stateSentence } from "./stateText.ts"
import { resolveInstant, type Since } from "./parseValues.ts"

/** Follows one command to its end and returns its exit status. */
const tailOne = (
  commandId: string,
  timestamps: boolean,
  cliOutput: CliOutput,
  recorded: RecordedOutput,
): SubcommandEffect =>
  Effect.gen(function* () {
    const record = yield* resolveCommand(commandId)
    if (record.state._tag === "Lost") yield* cliOutput.say(`${record.commandId} is ${stateSentence(record.state)}`)
    const filter = { branch: ComputeBranch.name, correlationId: record.commandId }
    const entries = Journal.tail({ after: record.position - 1, filter }).pipe(
      Stream.takeUntil(({ position, tag }) => position > record.position && ComputeBranch.lastTags.includes(tag)),
    )
    const lines = timestamps
      ? new LineAssembler(record.exec?.encoding, (line, time) => `${isoText(time)} ${line}`)
      : undefined
    const write = (entry: Entry) =>
      cliOutput.json ? cliOutput.write(1, entryLines([entry])) : Effect.flatMap(
        Effect.fromResult(piecesOf(entry)),
        (pieces) =>
          lines === undefined
            ? writePieces(recorded, pieces)
            : writeTexts(recorded, pieces.map((piece) => lines.take(piece))),
      )
    const last = yield* Stream.runLast(Stream.tap(entries, write))
    if (lines !== undefined) yield* writeTexts(recorded, lines.end())
    if (Option.isNone(last)) return yield* Effect.never
    const { state } = outcomeOf(last.value)
    if (state._tag === "Faulted") yield* cliOutput.say(stateSentence(state))
    return exitStatusOfState(state)
  })

const tailAll = (
  since: Since | undefined,
  timestamps: boolean,
  cliOutput: CliOutput,
  recorded: RecordedOutput,
): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const after = since === undefined
      ? (yield* journal.head).position
      : yield* positionAt(resolveInstant(since, yield* Clock.currentTimeMillis))
    const entries = journal.tail({ after, filter: { branch: ComputeBranch.name } })
    if (cliOutput.json) {
      yield* Stream.runForEachArray(entries, (batch) => cliOutput.write(1, entryLines(batch)))
      return 0
    }
    const follow = new CommandLog(makeTextStyles(cliOutput.cli, 1), timestamps)
    const write = (entry: Entry) =>
      Effect.gen(function* () {
        const { correlationId, tag } = entry
        yield* writeTexts(recorded, follow.mark(entry))
        const pieces = yield* Effect.fromResult(piecesOf(entry))
        // The command was requested before the tail began.
        if (pieces.length > 0 && !requestTags.includes(tag) && !follow.knows(correlationId)) {
          const record = yield* Effect.option(Effect.catchTag(
            findCommand(correlationId),
            "LookupError",
            () => Effect.fail("gone"),
          ))
          follow.introduce(correlationId, Option.getOrUndefined(record)?.exec)
        }
        yield* writeTexts(recorded, pieces.map((piece) => follow.output(correlationId, piece)))
      })
    yield* Stream.runForEach(entries, write)
    return 0
  })

export const tail = (
  id: string | undefined,
  { since, timestamps }: TailFlags,
  cliOutput: CliOutput,
): SubcommandEffect =>
  withRecordedOutput(
    cliOutput,
    "text",
    (recorded) =>
      id === undefined ? tailAll(since, timestamps, cliOutput, recorded) : tailOne(id, timestamps, cliOutput, recorded),
  )
