/** Ends the processes of recent commands whose `sluice` was killed, and journals their `HostLost` faults. */
import * as Effect from "effect/Effect"
import { makeLivenessCheck } from "../../history/livenessCheck.ts"
import { endTags, readRecord, requestTags } from "../../history/readRecord.ts"
import { draftEvent } from "../../branch/BranchDefinition.ts"
import { currentHost, sharesProcessTable } from "../../branch/HostIdentity.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { Entry } from "../../journal/Entry.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { JournalService } from "../../journal/JournalService.ts"
import { ComputeBranch } from "../../compute/ComputeBranch.ts"
import { makeLastEvent } from "../../compute/makeLastEvent.ts"
import { canRerun } from "../../compute/canRerun.ts"
import type { ShellService } from "../../shell/ShellService.ts"

/** Maximum of newest requests and ends to examine: a journal may be long, and the command waits. */
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
): Effect.Effect<void, JournalError | ShellFault> =>
  Effect.gen(function* () {
    const { endOrphans } = shell
    if (endOrphans === undefined) return
    const me = yield* currentHost
    const isGone = makeLivenessCheck(journal)
    for (const request of yield* openRequests(journal)) {
      const { attempts, commandId, exec, state } = yield* readRecord(journal, request, isGone)
      const lease = attempts.at(-1)?.lease
      if (state._tag !== "Lost" || lease === undefined || exec === undefined) continue
      if (lease.leaseMillis !== null || canRerun(exec) || !sharesProcessTable(lease.host, me)) continue
      const { ended } = yield* endOrphans(commandId, { hostPid: lease.host.pid })
      const fault = yield* makeLastEvent(journal)(exec, {
        _tag: "HostLost",
        lost: lease,
        recovered: { ended },
        attempts: attempts.length,
      })
      // Another process may have been first.
      const noneOf = { branch: ComputeBranch.name, correlationId: commandId, tags: endTags }
      yield* journal.append([draftEvent(ComputeBranch, fault)], { condition: { after: request.position, noneOf } })
    }
  })
