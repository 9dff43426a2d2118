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

/** Runs an action on a journal that opens normally. */
type OpenedAction = Exclude<JournalAction, { readonly _tag: "Repair" | "Salvage" }>

const perform = (action: OpenedAction, cliOutput: CliOutput): SubcommandEffect => {
  switch (action._tag) {
    case "List":
      return list(action, cliOutput)
    case "Show":
      return show(action, cliOutput)
    case "Tail":
      return tail(action, cliOutput)
    case "Replay":
      return replay(action, cliOutput)
    case "Verify":
      return verify(action, cliOutput)
    case "Export":
      return exportJournal(action, cliOutput)
    case "Prune":
      return prune(action, cliOutput)
    case "Stats":
      return stats(cliOutput)
  }
}

const accessOf = (action: OpenedAction): JournalAccess => action._tag === "Prune" && !action.dryRun ? "write" : "read"

/** The exit status of the first signal that is received. */
const stopped = (own: CliProcess): Effect.Effect<number> =>
  Effect.callback((resume) => {
    own.onSignal((signal) => resume(Effect.succeed(exitStatusOfFault({ _tag: "Cancelled" }, signal))))
  })

/** Runs a subcommand and returns the exit status. */
export const journal = (request: JournalRequest, own: CliProcess): Effect.Effect<number, UsageError> => {
  const output = new ProcessOutput(own)
  const cliOutput = new CliOutput(own, output, request.json)
  const tell = (message: string): Effect.Effect<number> =>
    Effect.as(Effect.ignore(writeMessage(output, message.replace(/^journal: /, ""))), ownFailureStatus)
  const work = Effect.gen(function* () {
    const { action } = request
    if (action._tag === "Salvage") return yield* salvage(action, cliOutput)
    const location = yield* findLocation(own, request.at)
    if (action._tag === "Repair") return yield* repair(location, cliOutput)
    const service = yield* openJournal(location, accessOf(action))
    return yield* Effect.provideService(perform(action, cliOutput), Journal, service)
  }).pipe(
    request.action._tag === "Verify" ? reportCorruption(cliOutput) : identity,
    Effect.catchTag("BrokenOutputError", (broken) => handleBrokenOutput(broken, output)),
    Effect.catchTag(["JournalError", "LookupError"], ({ message }) => tell(message)),
    Effect.scoped,
  )
  return Effect.raceFirst(work, stopped(own))
}
