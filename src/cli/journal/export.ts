/** Implements `sluice journal export`: a journal or a command as NDJSON, or a command as an asciicast. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { AsciicastWriter } from "../../history/AsciicastWriter.ts"
import { commandRecording, entriesOf, type RecordedEvent } from "../../history/commandOutput.ts"
import { readEntriesToHead } from "../../history/readEntries.ts"
import { Journal } from "../../journal/JournalService.ts"
import { headerLine } from "../../journal/stores/ndjson/fileHeader.ts"
import { type CliOutput, entryLines, type SubcommandEffect } from "./CliOutput.ts"
import type { AttemptFlags, ExportFlags, ExportFormat } from "./flags.ts"
import { checkAttempt, resolveCommand } from "./resolveCommand.ts"
import { exitStatusOfState } from "./stateText.ts"

export const exportEntries = (
  id: string | undefined,
  { attempt }: AttemptFlags,
  cliOutput: CliOutput,
): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const record = id === undefined ? undefined : yield* resolveCommand(id)
    if (record !== undefined) yield* checkAttempt(record, attempt)
    // Only the whole is a journal again: the entries of one command lack the first entry.
    else yield* cliOutput.write(1, headerLine(yield* Clock.currentTimeMillis))
    const entries = record === undefined ? readEntriesToHead(journal, {}) : entriesOf(record, { attempt })
    yield* Stream.runForEachArray(entries, (batch) => cliOutput.write(1, entryLines(batch)))
    return 0
  })

export const exportRecording = (
  id: string,
  format: Exclude<ExportFormat, "ndjson">,
  { attempt, size }: ExportFlags,
  cliOutput: CliOutput,
): SubcommandEffect =>
  Effect.gen(function* () {
    const record = yield* resolveCommand(id)
    yield* checkAttempt(record, attempt)
    const run = record.attempts.find(({ number }) => number === attempt) ?? record.attempts.at(-1)
    const start = run?.time ?? record.requested
    const writer = new AsciicastWriter({
      version: format === "asciicast" ? 2 : 3,
      start,
      line: record.line,
      encoding: record.exec?.encoding,
      terminal: record.terminal,
      ...size,
    })
    yield* cliOutput.write(1, writer.header())
    const lineOf = (event: RecordedEvent): string => {
      if (!("_tag" in event)) return writer.output(event)
      return event._tag === "TerminalInput" ? writer.input(event) : writer.resized(event)
    }
    const events = commandRecording(record, { attempt })
    yield* Stream.runForEachArray(events, (batch) => cliOutput.write(1, batch.map(lineOf).join("")))
    const isLast = run === record.attempts.at(-1)
    const ended = isLast && record.ended !== undefined
    yield* cliOutput.write(
      1,
      writer.end(ended ? record.ended : start, ended ? exitStatusOfState(record.state) : undefined),
    )
    return 0
  })
