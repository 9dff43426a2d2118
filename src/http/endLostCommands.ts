/** Ends all commands of the journal whose host process is gone. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { endLost, type JournalAndShell } from "../history/endLost.ts"
import { makeLivenessCheck } from "../history/makeLivenessCheck.ts"
import type { UnendedCommands } from "../history/UnendedCommands.ts"
import type { JournalError } from "../journal/JournalError.ts"

/** Concurrency: each command takes a scan of all processes, and its grace period if it ignores SIGTERM. */
const atOnce = 8

export const endLostCommands = (
  services: JournalAndShell,
  unended: UnendedCommands,
): Effect.Effect<void, JournalError> =>
  Effect.andThen(
    unended.catchUp,
    unended.records(makeLivenessCheck(services.journal)).pipe(
      Stream.mapEffect((record) => endLost(services, record), { concurrency: atOnce, unordered: true }),
      Stream.runDrain,
    ),
  )
