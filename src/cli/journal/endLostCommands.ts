/** Ends the processes of recent commands whose `sluice` was killed, and journals their `HostLost` faults. */
import * as Effect from "effect/Effect"
import { endLost } from "../../history/endLost.ts"
import { makeLivenessCheck } from "../../history/makeLivenessCheck.ts"
import { endTags, readRecord, requestTags } from "../../history/readRecord.ts"
import { currentHost, sharesProcessTable } from "../../branch/HostIdentity.ts"
import type { Entry } from "../../journal/Entry.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import type { ShellService } from "../../shell/ShellService.ts"

/** Maximum number of the newest requests and ends to examine: a journal may be long, and the command waits. */
const maxMarks = 256

/** Returns the newest requests without an end. */
const openRequests = (journal: JournalService): Effect.Effect<ReadonlyArray<Entry>, JournalError> =>
  Effect.map(
    journal.readBackward({
      filter: { branch: ComputeBranch.name, tags: [...requestTags, ...endTags] },
      maxEntries: maxMarks,
    }),
    (marks) => {
      const ended = new Set<string>()
      return marks.filter(({ correlationId, tag }) => {
        if (requestTags.includes(tag)) return !ended.delete(correlationId)
        ended.add(correlationId)
        return false
      })
    },
  )

/**
 * Ends the processes of commands whose host process on this machine is gone, and journals their fault (`HostLost`).
 * Leaves commands that a daemon ran, or may run again, to the daemons.
 */
export const endLostCommands = (
  shell: ShellService,
  journal: JournalService,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    if (shell.endOrphans === undefined) return
    const me = yield* currentHost
    const isGone = makeLivenessCheck(journal)
    for (const request of yield* openRequests(journal)) {
      const record = yield* readRecord(journal, request, isGone)
      const lease = record.attempts.at(-1)?.lease
      if (lease === undefined || lease.leaseMillis !== null || !sharesProcessTable(lease.host, me)) continue
      yield* endLost({ journal, shell }, record)
    }
  })
