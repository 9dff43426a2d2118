/** Finds the command that an id, a prefix of an id, or `last` names, and checks that it has a given attempt. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CommandRecord } from "../../history/CommandRecord.ts"
import { commandById, findCommand, LookupError } from "../../history/findCommand.ts"
import { listCommands } from "../../history/listCommands.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { Journal } from "../../journal/JournalService.ts"
import { UsageError } from "../UsageError.ts"

const newest: Effect.Effect<CommandRecord, JournalError | LookupError, Journal> = Effect.flatMap(
  Stream.runHead(listCommands({ maxCommands: 1 })),
  Option.match({
    onSome: Effect.succeed,
    onNone: () =>
      Effect.fail(
        new LookupError({
          commandId: "last",
          candidates: [],
          message: "this journal has no commands; sluice journal list --runs lists runs of agents",
        }),
      ),
  }),
)

/** Finds the command with an id, or the only one whose id has this prefix; `last` is the newest unless it is an id. */
export const resolveCommand = (id: string): Effect.Effect<CommandRecord, JournalError | LookupError, Journal> =>
  id === "last"
    ? Effect.flatMap(commandById(id), (record) => record === undefined ? newest : Effect.succeed(record))
    : findCommand(id)

export const checkAttempt = (record: CommandRecord, attempt: number | undefined): Effect.Effect<void, UsageError> =>
  attempt === undefined || record.attempts.some(({ number }) => number === attempt)
    ? Effect.void
    : Effect.fail(new UsageError(`--attempt: ${record.commandId} was run ${record.attempts.length} times`))
