/**
 * `DELETE /commands/:id`: ends a command, wherever it runs.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type CommandRecord, isOpen } from "../history/CommandRecord.ts"
import { decodeBranchEntry, draftBranchEntry } from "../branch/BranchEntry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { RunSupervisor, Services } from "./RunSupervisor.ts"

/** Begins to end a command: one of this server at once, one that runs elsewhere by an entry that whoever runs it heeds. */
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
    const asked = draftBranchEntry(ComputeBranch, record.commandId, {
      _tag: "CancelRequested",
      by: "http",
      ...(force ? { force } : undefined),
    })
    return Effect.asVoid(journal.append([asked]))
  })

/** Ends the commands of this server that others on the journal want to end. */
export const followCancelRequests = (runs: RunSupervisor, { journal }: Services): Effect.Effect<void, JournalError> =>
  Effect.flatMap(journal.head, ({ position }) =>
    Stream.runForEach(
      journal.tail({ after: position, filter: { branch: ComputeBranch.name, tags: ["CancelRequested"] } }),
      (entry) =>
        Effect.sync(() => {
          const said = decodeBranchEntry(ComputeBranch, entry)
          const force = said?._tag === "CancelRequested" && said.force === true
          runs.running.get(entry.correlationId)?.cancel(force)
        }),
    ))
