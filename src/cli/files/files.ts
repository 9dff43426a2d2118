/** Implements `sluice files`. */
import * as Effect from "effect/Effect"
import type { CommandHandler, CommandWords } from "../CommandSpec.ts"
import { decodeFlags, type FlagTable } from "../FlagSpec.ts"
import { CliOutput } from "../journal/CliOutput.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import type { UsageError } from "../UsageError.ts"
import { tryMessage } from "../writeMessage.ts"
import { edit, list, patch, read, remove, stat, write } from "./operations.ts"
import { describeError, exitStatusOfError, type FilesError, type FilesSubcommand } from "./FilesSubcommand.ts"
import {
  deleteFlags,
  editFlags,
  listFlags,
  patchFlags,
  readFlags,
  searchFlags,
  sharedFlags,
  watchFlags,
  writeFlags,
} from "./filesSpec.ts"
import { openFiles } from "./openFiles.ts"
import { search, watch } from "./search.ts"
import { stopped } from "../stopOnSignals.ts"

const perform = ({ flags: texts, name, operands }: CommandWords, out: CliOutput): FilesSubcommand => {
  const decode = <V>(table: FlagTable<V>): Effect.Effect<V, UsageError> => Effect.fromResult(decodeFlags(table, texts))
  const [path = ""] = operands
  switch (name) {
    case "read":
      return Effect.flatMap(decode(readFlags), (flags) => read(path, flags, out))
    case "write":
      return Effect.flatMap(decode(writeFlags), (flags) => write(path, flags, out))
    case "ls":
      return Effect.flatMap(decode(listFlags), (flags) => list(path, flags, out))
    case "rm":
      return Effect.flatMap(decode(deleteFlags), (flags) => remove(operands, flags, out))
    case "edit":
      return Effect.flatMap(decode(editFlags), (flags) => edit(path, flags, out))
    case "patch":
      return Effect.flatMap(decode(patchFlags), (flags) => patch(operands[0], flags, out))
    case "search":
      return Effect.flatMap(decode(searchFlags), (flags) => search(operands, flags, out))
    case "watch":
      return Effect.flatMap(decode(watchFlags), (flags) => watch(path, flags, out))
    default:
      return stat(path, out)
  }
}

export const files: CommandHandler = (words, cli) =>
  Effect.gen(function* () {
    const shared = yield* Effect.fromResult(decodeFlags(sharedFlags, words.flags))
    const output = new ProcessOutput(cli)
    const leaf = yield* openFiles(shared, cli, words.name === "search")
    const work = perform(words, new CliOutput(cli, output, shared.json)).pipe(
      Effect.provide(leaf),
      Effect.catchIf(
        (error): error is FilesError => error._tag !== "UsageError" && error._tag !== "BrokenOutputError",
        (error) =>
          Effect.as(
            tryMessage(output, describeError(error, { isOneEdit: words.flags.has("old") })),
            exitStatusOfError(error),
          ),
      ),
      Effect.scoped,
    )
    return yield* Effect.raceFirst(stopped(cli), work)
  })
