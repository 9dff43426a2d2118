/** Cancels a command directly or by an entry in the journal, and follows such entries of other hosts. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CommandRecord, isOpen } from "../history/CommandRecord.ts"
import { decodeBranchEntry, draftBranchEntry } from "../branch/BranchEntry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { Entry } from "../journal/Entry.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { RunSupervisor, Services } from "./RunSupervisor.ts"

/** Cancels a command: directly if it runs in this process, else by an entry that its host follows. */
export const cancelCommand = (
  runs: RunSupervisor,
  journal: JournalService,
  record: CommandRecord,
  force: boolean,
): Effect.Effect<void, JournalError> =>
  Effect.suspend(() => {
    const run = runs.running.get(record.commandId)
    if (run !== undefined) return Effect.sync(() => run.cancel(force))
    if (!isOpen(record)) return Effect.void
    const draft = draftBranchEntry(ComputeBranch, record.commandId, {
      _tag: "CancelRequested",
      by: "http",
      ...(force ? { force } : undefined),
    })
    return Effect.asVoid(journal.append([draft]))
  })

/**
 * Cancels the commands of this process that have a cancel request in the journal, until it is interrupted. Follows from the
 * position before the first command, so that no request is missed; the same Effect, run again after a failure, continues
 * after the last one.
 */
export const followCancelRequests = (
  runs: RunSupervisor,
  { firstPosition, journal }: Services,
): Effect.Effect<void, JournalError> => {
  const filter = { branch: ComputeBranch.name, tags: ["CancelRequested"] }
  const head = Effect.map(journal.head, ({ position }) => position)
  let after = firstPosition
  const cancel = (entry: Entry): void => {
    after = entry.position
    const request = decodeBranchEntry(ComputeBranch, entry)
    const force = request?._tag === "CancelRequested" && request.force === true
    runs.running.get(entry.correlationId)?.cancel(force)
  }
  return Effect.flatMap(
    Effect.suspend(() => after === undefined ? head : Effect.succeed(after)),
    (from) => Stream.runForEach(journal.tail({ after: from, filter }), (entry) => Effect.sync(() => cancel(entry))),
  ).pipe(Effect.tapError(({ reason }) =>
    Effect.sync(() => {
      if (reason._tag === "Pruned") after = undefined
    })
  ))
}
