/** Ends commands whose host process is gone: kills what is left of them and appends the fault `HostLost`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { makeLivenessCheck } from "../history/livenessCheck.ts"
import type { UnendedCommands } from "../history/UnendedCommands.ts"
import { draftEvent } from "../branch/BranchDefinition.ts"
import { newestLease } from "../branch/newestLease.ts"
import type { RecoveryReport } from "../branch/EndCause.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { makeLastEvent } from "../compute/makeLastEvent.ts"
import { canRerun } from "../compute/canRerun.ts"
import type { Services } from "./RunSupervisor.ts"

/**
 * Ends a lost command: kills its remaining processes on this machine and appends the fault `HostLost`. Leaves a command
 * with `onHostLoss: "rerun"` to daemons. If several servers do this at once, one of them appends the end.
 */
export const endLost: (
  services: Services,
  record: CommandRecord,
) => Effect.Effect<void, JournalError> = Effect.fnUntraced(function* ({ journal, shell }, record) {
  const { attempts, commandId, exec, state } = record
  const last = attempts.at(-1)
  if (state._tag !== "Lost" || exec === undefined || last?.lease === undefined || canRerun(exec)) return
  const { pid } = last.lease.host
  const recovered: RecoveryReport = shell.endOrphans === undefined
    ? {}
    : yield* shell.endOrphans(commandId, { grace: exec.grace, hostPid: pid === 0 ? undefined : pid }).pipe(
      Effect.catch((fault) => Effect.as(Effect.logWarning(fault.message), { ended: undefined })),
    )
  const fault = yield* makeLastEvent(journal)(exec, {
    _tag: "HostLost",
    lost: last.lease,
    recovered,
    attempts: attempts.length,
  })
  const lease = yield* newestLease(journal, ComputeBranch, commandId, { after: last.after - 1 })
  // Another has taken it since.
  if (lease?.position !== last.after) return
  const noneOf = {
    branch: ComputeBranch.name,
    correlationId: commandId,
    tags: ["LeaseTaken", ...ComputeBranch.lastTags],
  }
  yield* Effect.uninterruptible(Effect.catchReason(
    Effect.asVoid(journal.append([draftEvent(ComputeBranch, fault)], { condition: { after: lease.newest, noneOf } })),
    "JournalError",
    "Conflict",
    () => Effect.void,
  ))
})

/** Concurrency: each command takes a scan of all processes, and its grace if it ignores SIGTERM. */
const atOnce = 8

export const endAllLost = (services: Services, unended: UnendedCommands): Effect.Effect<void, JournalError> =>
  Effect.andThen(
    unended.catchUp,
    unended.records(makeLivenessCheck(services.journal)).pipe(
      Stream.mapEffect((record) => endLost(services, record), { concurrency: atOnce, unordered: true }),
      Stream.runDrain,
    ),
  )
