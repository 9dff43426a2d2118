/**
 * Opens the journal of a server from its flag or the environment.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalService } from "../../journal/JournalService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { UsageError } from "../UsageError.ts"
import { configuredLocation } from "./location.ts"
import { openJournal } from "./openJournal.ts"

/** Opens the journal of the flag or of the environment; `undefined` if neither names one. */
export const openServerJournal = (
  own: CliProcess,
  at: string | undefined,
): Effect.Effect<JournalService | undefined, UsageError, Scope.Scope> =>
  Effect.suspend(() => {
    const location = configuredLocation(own, at)
    if (location === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(location, (where) => openJournal(where, "append")).pipe(
      Effect.catchTag("JournalError", ({ message }) => Effect.fail(new UsageError(message))),
    )
  })
