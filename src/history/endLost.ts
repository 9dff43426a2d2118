/** Ends a command whose host process is gone: kills its remaining processes and appends the fault `HostLost`. */
import * as Effect from "effect/Effect"
import { draftEvent } from "../branch/BranchDefinition.ts"
import { appendUnless } from "../branch/LeaseHolder.ts"
import { newestLease } from "../branch/newestLease.ts"
import { canRerun } from "../compute/canRerun.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { makeLastEvent } from "../compute/makeLastEvent.ts"
import { recoverOrphans } from "../compute/recoverOrphans.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { CommandRecord } from "./CommandRecord.ts"

export interface JournalAndShell {
  readonly journal: JournalService
  readonly shell: ShellService
}

/**
 * Ends a lost command: kills its remaining processes on this machine and appends the fault `HostLost`. Leaves a command
 * with `onHostLoss: "rerun"` to daemons. If several processes do this at once, one of them appends the end.
 */
export const endLost: (
  services: JournalAndShell,
  record: CommandRecord,
) => Effect.Effect<void, JournalError> = Effect.fnUntraced(function* ({ journal, shell }, record) {
  const { attempts, commandId, exec, state } = record
  const last = attempts.at(-1)
  if (state._tag !== "Lost" || exec === undefined || last?.lease === undefined || canRerun(exec)) return
  const fault = yield* makeLastEvent(journal)(exec, {
    _tag: "HostLost",
    lost: last.lease,
    recovered: yield* recoverOrphans(shell, exec, last.lease),
    attempts: attempts.length,
  })
  const lease = yield* newestLease(journal, ComputeBranch, commandId, { after: last.after - 1 })
  // Another process has taken the command since.
  if (lease?.position !== last.after) return
  const target = { branch: ComputeBranch, correlationId: commandId, journal }
  const drafts = [draftEvent(ComputeBranch, fault)]
  yield* Effect.uninterruptible(
    appendUnless(target, drafts, lease.newest, ["LeaseTaken", ...ComputeBranch.lastTags]),
  )
})
