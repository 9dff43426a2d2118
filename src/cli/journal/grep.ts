/** Implements `sluice journal grep`: prints the lines of recorded output that match a pattern, command by command. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { compilePattern } from "../../files/FileSearchMatcher.ts"
import { commandOutput } from "../../history/commandOutput.ts"
import { listCommands } from "../../history/listCommands.ts"
import { describeError, noMatchStatus } from "../files/FilesSubcommand.ts"
import type { CliOutput, SubcommandEffect } from "./CliOutput.ts"
import type { GrepFlags } from "./flags.ts"
import { isoText } from "./formatValues.ts"
import { LineAssembler, type LogText } from "./LineAssembler.ts"
import { withRecordedOutput } from "./RecordedOutput.ts"
import { resolveCommand } from "./resolveCommand.ts"

/** Maximum length of a line in UTF-16 units; the parts of a longer one are searched one by one. */
const maxLine = 1_048_576

/** The exit status for an invalid pattern, that of grep(1). */
const invalidPatternStatus = 2

export const grep = (
  pattern: string,
  { command, "ignore-case": ignoreCase, literal }: GrepFlags,
  cliOutput: CliOutput,
): SubcommandEffect =>
  Effect.gen(function* () {
    const compiled = yield* Effect.result(compilePattern(pattern, { ignoreCase, literal }))
    if (Result.isFailure(compiled)) {
      yield* cliOutput.say(describeError(compiled.failure).replace(/^search: /, ""))
      return invalidPatternStatus
    }
    const matcher = compiled.success
    const records = command === undefined
      ? listCommands({ order: "oldest" })
      : Stream.fromEffect(resolveCommand(command))
    const runs = Stream.flatMap(
      records,
      (record) => Stream.fromIterable(record.attempts.map(({ number }) => ({ record, attempt: number }))),
    )
    let status = noMatchStatus
    yield* withRecordedOutput(cliOutput, "text", (recorded) => {
      const write = (found: ReadonlyArray<LogText>) => {
        const text = found.map((each) => each.text).join("")
        return text === "" ? Effect.void : cliOutput.json ? cliOutput.write(1, text) : recorded.writeLines(1, text)
      }
      return Stream.runForEach(runs, ({ attempt, record }) => {
        const { commandId, exec } = record
        const lines = new LineAssembler(exec?.encoding, (whole, time, stream, line) => {
          const text = whole.endsWith("\r") ? whole.slice(0, -1) : whole
          if (matcher.indexIn(text) < 0) return undefined
          status = 0
          return cliOutput.json
            ? JSON.stringify({ commandId, attempt, stream, line, time, text })
            : `${isoText(time)} ${commandId} ${stream}:${line}: ${text}`
        }, maxLine)
        // Yields, so that Ctrl-C ends the search of an expensive pattern.
        const search = Stream.runForEachArray(
          commandOutput(record, { attempt }),
          (pieces) => Effect.andThen(write(pieces.map((piece) => lines.take(piece))), Effect.yieldNow),
        )
        return Effect.andThen(search, Effect.suspend(() => write(lines.end("\n"))))
      })
    })
    return status
  })
