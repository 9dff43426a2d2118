/**
 * The journal of a server.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalService } from "../../journal/JournalService.ts"
import type { OwnProcess } from "../OwnProcess.ts"
import { UsageError } from "../UsageError.ts"
import { chosenLocation } from "./location.ts"
import { openJournal } from "./openJournal.ts"

/** Opens the journal that was asked for, or that the environment names; `undefined` when there is none. */
export const openChosen = (
  own: OwnProcess,
  at: string | undefined,
): Effect.Effect<JournalService | undefined, UsageError, Scope.Scope> =>
  Effect.suspend(() => {
    const location = chosenLocation(own, at)
    if (location === undefined) return Effect.succeed(undefined)
    return Effect.flatMap(location, (where) => openJournal(where, "append")).pipe(
      Effect.catchTag("JournalError", ({ message }) => Effect.fail(new UsageError(message))),
    )
  })
