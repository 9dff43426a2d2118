/** Implements `sluice daemon`: runs the commands that other processes request in a journal. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Journal } from "../../journal/JournalService.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import * as ShellDaemon from "../../compute/ShellDaemon.ts"
import { isServerVariable } from "../../policy/inheritedVariables.ts"
import { Shell } from "../../shell/Shell.ts"
import { watchSignals } from "../stopOnSignals.ts"
import { guardShell } from "../guardShell.ts"
import { configuredLocation, openJournal } from "../journal/openJournal.ts"
import { makeKillableShell } from "../killableShell.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import type { CliProcess } from "../CliProcess.ts"
import type { CommandHandler, CommandWords } from "../CommandSpec.ts"
import { applyConfigFlag } from "../config/applyConfigFlag.ts"
import { enterFirstRoot } from "../enterFirstRoot.ts"
import { decodeFlags } from "../FlagSpec.ts"
import { makeRedactor } from "../redaction.ts"
import { localShellOptions, readCommandPolicy } from "../serverFlags.ts"
import { tryMessage } from "../writeMessage.ts"
import { UsageError } from "../UsageError.ts"
import { daemonFlags } from "./daemonSpec.ts"

const serve = (
  words: CommandWords,
  cli: CliProcess,
  output: ProcessOutput,
): Effect.Effect<number, UsageError | JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const { texts } = yield* applyConfigFlag(cli, "daemon", words.flags)
    const flags = yield* Effect.fromResult(decodeFlags(daemonFlags, texts))
    const { drain = 0, journal: at, lease, "max-concurrency": maxConcurrency } = flags
    const policy = enterFirstRoot(readCommandPolicy(flags, cli, "*"))
    const killable = yield* makeKillableShell(cli, { ...localShellOptions(policy), maxConcurrency })
    const location = yield* configuredLocation(cli, at)
    if (location === undefined) {
      return yield* Effect.fail(new UsageError("missing journal: name one with --journal or SLUICE_JOURNAL"))
    }
    if (location._tag === "Ndjson") {
      const why = "a journal in NDJSON has one writer, so no other process could request commands"
      return yield* Effect.fail(new UsageError(`--journal: ${why}; use SQLite (FILE.db) or PostgreSQL`))
    }
    const redactor = yield* Effect.fromResult(makeRedactor(flags, cli))
    const { shell } = yield* guardShell(killable.shell, policy, output)
    const journal = yield* openJournal(location, "append")
    killable.journalNetwork(journal)
    // The server has read its variables. `/proc` still shows the original environment block.
    yield* Effect.sync(() => cli.forget(isServerVariable))
    const daemon = yield* ShellDaemon.make({ maxConcurrency, lease, redactor }).pipe(
      Effect.provideService(Shell, shell),
      Effect.provideService(Journal, journal),
      Effect.mapError(({ message }) => new UsageError(message)),
    )

    const end = watchSignals(cli)
    yield* daemon.start
    const { location: where } = yield* journal.stats
    yield* tryMessage(output, `${daemon.id} runs the commands requested in ${where}`)
    yield* Effect.raceFirst(end.first, daemon.completed)
    const down = Effect.andThen(Effect.timeoutOption(daemon.drain, drain), daemon.shutdown)
    yield* Effect.raceFirst(down, Effect.andThen(end.second, killable.killAll))
    return end.status()
  })

export const daemon: CommandHandler = (words, cli) => {
  const output = new ProcessOutput(cli)
  return Effect.scoped(serve(words, cli, output)).pipe(
    Effect.catchTag("JournalError", ({ message }) => Effect.fail(new UsageError(message.replace(/^journal: /, "")))),
  )
}
