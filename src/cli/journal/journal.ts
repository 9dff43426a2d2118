/** Implements `sluice journal`. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Journal } from "../../journal/JournalService.ts"
import type { CommandHandler, CommandWords } from "../CommandSpec.ts"
import { decodeFlags, type FlagTable } from "../FlagSpec.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import { UsageError } from "../UsageError.ts"
import { CliOutput, describeDamage, type SubcommandEffect, type SubcommandError } from "./CliOutput.ts"
import { exportEntries, exportRecording } from "./export.ts"
import * as tables from "./flags.ts"
import { grep } from "./grep.ts"
import { list, listRuns } from "./list.ts"
import { findLocation, type JournalAccess, openJournal } from "./openJournal.ts"
import { prune } from "./prune.ts"
import { repair } from "./repair.ts"
import { replay } from "./replay.ts"
import { salvage } from "./salvage.ts"
import { show } from "./show.ts"
import { stats } from "./stats.ts"
import { tail } from "./tail.ts"
import { reportCorruption, verify } from "./verify.ts"
import { stopped } from "../stopOnSignals.ts"

const checkList = (flags: tables.ListFlags): Effect.Effect<void, UsageError> => {
  const { "max-count": maxCount, oldest, tail } = flags
  if (flags.runs) {
    const { iso: _iso, "max-count": _maxCount, runs: _runs, ...others } = flags
    const given = Object.entries(others).find(([, value]) => value !== undefined && value !== false)
    return given === undefined
      ? Effect.void
      : Effect.fail(new UsageError(`--runs and --${given[0]} are mutually exclusive`))
  }
  return tail !== undefined && (maxCount !== undefined || oldest)
    ? Effect.fail(new UsageError("--tail and --max-count or --oldest are mutually exclusive"))
    : Effect.void
}

const checkPrune = (flags: tables.PruneFlags): Effect.Effect<void, UsageError> =>
  flags["older-than"] === undefined && flags["keep-entries"] === undefined && flags["keep-bytes"] === undefined &&
    flags["command-id"].length === 0
    ? Effect.fail(
      new UsageError("nothing to prune: give --older-than 30d, --keep-entries N, --keep-bytes 1G, or --command-id ID"),
    )
    : Effect.void

const perform = (
  { flags: texts, name, operands: [id, second = ""] }: CommandWords,
  at: string | undefined,
  out: CliOutput,
): Effect.Effect<number, SubcommandError, Scope.Scope> => {
  const decode = <V>(table: FlagTable<V>): Effect.Effect<V, UsageError> => Effect.fromResult(decodeFlags(table, texts))
  const opened = (access: JournalAccess, subcommand: SubcommandEffect, where = at) =>
    Effect.gen(function* () {
      const journal = yield* openJournal(yield* findLocation(out.cli, where), access)
      return yield* Effect.provideService(subcommand, Journal, journal)
    })
  return Effect.gen(function* () {
    switch (name) {
      case "list": {
        const flags = yield* decode(tables.listFlags)
        yield* checkList(flags)
        return yield* opened("read", flags.runs ? listRuns(flags, out) : list(flags, out))
      }
      case "show":
        return yield* opened("read", show(id ?? "", yield* decode(tables.showFlags), out))
      case "tail":
        return yield* opened("read", tail(id, yield* decode(tables.tailFlags), out))
      case "grep": {
        if (second !== "" && at !== undefined) {
          return yield* Effect.fail(new UsageError("JOURNAL and --journal are mutually exclusive"))
        }
        return yield* opened("read", grep(id ?? "", yield* decode(tables.grepFlags), out), second || at)
      }
      case "replay":
        return yield* opened("read", replay(id ?? "", yield* decode(tables.replayFlags), out))
      case "verify":
        return yield* reportCorruption(out)(opened("read", verify(yield* decode(tables.verifyFlags), out)))
      case "export": {
        const flags = yield* decode(tables.exportFlags)
        const { format = "ndjson" } = flags
        if (format === "ndjson") return yield* opened("read", exportEntries(id, flags, out))
        if (id !== undefined) return yield* opened("read", exportRecording(id, format, flags, out))
        return yield* Effect.fail(new UsageError(`--format ${format} needs one command: give its ID, or last`))
      }
      case "prune": {
        const flags = yield* decode(tables.pruneFlags)
        yield* checkPrune(flags)
        return yield* opened(flags["dry-run"] ? "read" : "write", prune(flags, out))
      }
      case "repair":
        return yield* repair(yield* findLocation(out.cli, at), out)
      case "salvage":
        return yield* salvage(id ?? "", second, out)
      default:
        return yield* opened("read", stats(out))
    }
  })
}

export const journal: CommandHandler = (words, cli) =>
  Effect.gen(function* () {
    const { journal: at, json } = yield* Effect.fromResult(decodeFlags(tables.sharedFlags, words.flags))
    const output = new ProcessOutput(cli)
    const work = perform(words, at, new CliOutput(cli, output, json)).pipe(
      Effect.catchTag("JournalError", (error) => Effect.fail(new UsageError(describeDamage(error)))),
      Effect.catchTag("LookupError", ({ message }) => Effect.fail(new UsageError(message))),
      Effect.scoped,
    )
    // Listens for signals before the first output.
    return yield* Effect.raceFirst(stopped(cli), work)
  })
