/** Implements `sluice demo`: replays a recorded session of an agent. `scripts/demo.mjs` records it. */
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Agent from "../../agent/Agent.ts"
import type { AgentEvent } from "../../agent/AgentEvent.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { commandOutput } from "../../history/commandOutput.ts"
import type { CommandRecord } from "../../history/CommandRecord.ts"
import { listCommands } from "../../history/listCommands.ts"
import { Journal } from "../../journal/JournalService.ts"
import { quoteWord } from "../../shell-language/ShellLanguage.ts"
import { textPrinter } from "../agent/AgentPrinter.ts"
import type { CliProcess } from "../CliProcess.ts"
import type { CommandHandler } from "../CommandSpec.ts"
import { decodeFlags } from "../FlagSpec.ts"
import { CliOutput } from "../journal/CliOutput.ts"
import { openJournal } from "../journal/openJournal.ts"
import { withRecordedOutput } from "../journal/RecordedOutput.ts"
import { makeReplayClock } from "../journal/replay.ts"
import { makeTextStyles } from "../journal/TextStyle.ts"
import { fdOf } from "../printRun.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import { UsageError } from "../UsageError.ts"
import { demoFlags } from "./demoSpec.ts"

/** Pauses, in milliseconds at speed 1. The journal has only the whole answer of a model. */
const pauses = { word: 70, answer: 900, call: 500 }

/** The recording: next to this file in the sources, and next to its bundle in the npm package. */
const recordingPath = (): Effect.Effect<string, UsageError> => {
  const url = new URL("./session.ndjson", import.meta.url)
  const { fileURLToPath } = nodeBuiltins()?.getBuiltinModule("node:url") ?? {}
  return url.protocol === "file:" && fileURLToPath !== undefined ? Effect.succeed(fileURLToPath(url)) : Effect.fail(
    new UsageError(
      "demo reads a file of the npm package: npx @sluice/shell demo, or deno run -A npm:@sluice/shell demo",
    ),
  )
}

const diffOf = (result: Schema.Json): string =>
  typeof result === "object" && result !== null && "diff" in result && typeof result.diff === "string"
    ? result.diff
    : ""

const show = (cli: CliProcess, out: CliOutput, path: string, speed: number) =>
  Effect.gen(function* () {
    const styles = makeTextStyles(cli, 1)
    // All on stdout, in order.
    const printer = textPrinter(styles, { write: (_, bytes) => out.write(1, bytes) })
    const pause = (millis: number) => speed === Infinity ? Effect.void : Effect.sleep(millis / speed)
    const recorded = yield* Agent.recordedRun()
    const { task, correlationId } = recorded.run
    const commands = yield* Stream.runCollect(listCommands({ order: "oldest" }))

    const playOutput = (record: CommandRecord) =>
      Effect.flatMap(
        makeReplayClock(record.requested, speed),
        (wait) =>
          withRecordedOutput(out, "text", (recorded) =>
            Stream.runForEach(
              commandOutput(record),
              (piece) => Effect.andThen(wait(piece.timestamp), recorded.write(fdOf(piece.stream), piece.bytes)),
            )),
      )
    const playDiff = (diff: string) =>
      out.lines(
        1,
        diff.split("\n").filter((line) => /^[-+](?![-+])/.test(line)).map((line) =>
          line.startsWith("-") ? styles.red(line) : styles.green(line)
        ),
      )
    const play = (event: AgentEvent) =>
      Effect.gen(function* () {
        switch (event._tag) {
          case "ModelDelta":
            yield* pause(pauses.answer)
            for (const text of event.text.match(/\s*\S+\s*/g) ?? []) {
              yield* printer.print({ ...event, text })
              yield* pause(pauses.word)
            }
            return
          case "AgentToolCall":
            yield* pause(pauses.call)
            yield* printer.print(event)
            return yield* Effect.forEach(
              commands.filter(({ commandId }) => commandId.startsWith(`${event.correlationId}/`)),
              playOutput,
              { discard: true },
            )
          case "AgentToolCallResult":
            yield* playDiff(diffOf(event.result))
            return yield* printer.print(event)
          default:
            return yield* printer.print(event)
        }
      })

    yield* out.lines(1, [
      styles.faint("A recorded session: nothing is run, no model is called, nothing is written."),
      `$ sluice agent ${quoteWord(task)}`,
    ])
    yield* Stream.runForEach(Agent.run(yield* Agent.replay(recorded), recorded.options), play)
    yield* out.lines(1, [
      "",
      styles.bold("Next:"),
      `  npx @sluice/shell journal show ${correlationId} --journal ${quoteWord(path)}`,
      "  npx @sluice/shell agent 'fix the failing test' --model openai/gpt-5",
      "  https://github.com/sluice/shell/blob/main/docs/agents.md",
    ])
    return 0
  })

export const demo: CommandHandler = (words, cli) =>
  Effect.gen(function* () {
    const { speed = cli.isTerminal(1) ? 1 : Infinity } = yield* Effect.fromResult(decodeFlags(demoFlags, words.flags))
    const path = yield* recordingPath()
    const output = new ProcessOutput(cli)
    const work = Effect.gen(function* () {
      const journal = yield* openJournal({ _tag: "Ndjson", path }, "read")
      return yield* Effect.provideService(
        show(cli, new CliOutput(cli, output, false), path, speed),
        Journal,
        journal,
      )
    }).pipe(
      Effect.catchTag(["JournalError", "AgentFault", "OptionError"], ({ message }) =>
        Effect.fail(new UsageError(message))),
    )
    return yield* Effect.scoped(work)
  })
