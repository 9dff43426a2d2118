/**
 * Implements `sluice journal`: opens the journal, runs the subcommand and reports its errors.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { Journal } from "../../journal/JournalService.ts"
import { handleBrokenOutput } from "../handleBrokenOutput.ts"
import { exitStatusOfFault, ownFailureStatus } from "../exitStatus.ts"
import { ProcessOutput } from "../ProcessOutput.ts"
import type { CliProcess } from "../CliProcess.ts"
import { writeMessage } from "../writeMessage.ts"
import type { UsageError } from "../UsageError.ts"
import { CliOutput, type SubcommandEffect } from "./CliOutput.ts"
import { exportJournal } from "./export.ts"
import type { JournalAction, JournalRequest } from "./JournalRequest.ts"
import { list } from "./list.ts"
import { findLocation } from "./location.ts"
import { type JournalAccess, openJournal } from "./openJournal.ts"
import { prune } from "./prune.ts"
import { repair } from "./repair.ts"
import { replay } from "./replay.ts"
import { salvage } from "./salvage.ts"
import { show } from "./show.ts"
import { stats } from "./stats.ts"
import { tail } from "./tail.ts"
import { reportCorruption, verify } from "./verify.ts"

/** An action on a journal that opens as usual. */
type OpenedAction = Exclude<JournalAction, { readonly _tag: "Repair" | "Salvage" }>

const perform = (action: OpenedAction, desk: CliOutput): SubcommandEffect => {
  switch (action._tag) {
    case "List":
      return list(action, desk)
    case "Show":
      return show(action, desk)
    case "Tail":
      return tail(action, desk)
    case "Replay":
      return replay(action, desk)
    case "Verify":
      return verify(action, desk)
    case "Export":
      return exportJournal(action, desk)
    case "Prune":
      return prune(action, desk)
    case "Stats":
      return stats(desk)
  }
}

const accessOf = (action: OpenedAction): JournalAccess => action._tag === "Prune" && !action.dryRun ? "write" : "read"

/** The status of the first signal that comes. */
const stopped = (own: CliProcess): Effect.Effect<number> =>
  Effect.callback((resume) => {
    own.onSignal((signal) => resume(Effect.succeed(exitStatusOfFault({ _tag: "Cancelled" }, signal))))
  })

/** Does what was asked for; answers with the status to exit with. */
export const journal = (request: JournalRequest, own: CliProcess): Effect.Effect<number, UsageError> => {
  const output = new ProcessOutput(own)
  const desk = new CliOutput(own, output, request.json)
  const tell = (message: string): Effect.Effect<number> =>
    Effect.as(Effect.ignore(writeMessage(output, message.replace(/^journal: /, ""))), ownFailureStatus)
  const work = Effect.gen(function* () {
    const { action } = request
    if (action._tag === "Salvage") return yield* salvage(action, desk)
    const location = yield* findLocation(own, request.at)
    if (action._tag === "Repair") return yield* repair(location, desk)
    const service = yield* openJournal(location, accessOf(action))
    return yield* Effect.provideService(perform(action, desk), Journal, service)
  }).pipe(
    request.action._tag === "Verify" ? reportCorruption(desk) : identity,
    Effect.catchTag("BrokenOutputError", (broken) => handleBrokenOutput(broken, output)),
    Effect.catchTag(["JournalError", "LookupError"], ({ message }) => tell(message)),
    Effect.scoped,
  )
  return Effect.raceFirst(work, stopped(own))
}
