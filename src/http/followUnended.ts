/** Keeps the index of the commands without an end for the journal of a route. */
import * as Effect from "effect/Effect"
import { UnendedCommands } from "../history/UnendedCommands.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { RunSupervisor } from "./RunSupervisor.ts"

/** Delay before a journal that could not be followed is followed again. */
const retryDelay = "5 seconds"

/** Follows a journal for ever: logs a failure, and follows it again. */
export const followAgain = (follow: Effect.Effect<void, JournalError>): Effect.Effect<never> =>
  Effect.catch(follow, (error) => Effect.logError(`the journal cannot be followed: ${error.message}`)).pipe(
    Effect.andThen(Effect.sleep(retryDelay)),
    Effect.forever,
  )

export type UnendedOf = (journal: JournalService) => UnendedCommands

/** Makes the function that returns the index of a journal: the first call starts to follow it. */
export const followUnended = (runs: Pick<RunSupervisor, "forkReader">): UnendedOf => {
  let known: UnendedCommands | undefined
  return (journal) => {
    if (known?.journal === journal) return known
    known = new UnendedCommands(journal)
    runs.forkReader(followAgain(known.follow), true)
    return known
  }
}
