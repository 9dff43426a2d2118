/**
 * Commands whose process is gone, and nobody has said how they ended.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { commandsWithoutEnd } from "../history/unfinishedCommands.ts"
import { draftEvent } from "../branch/BranchDefinition.ts"
import type { RecoveryReport } from "../branch/EndCause.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { makeLastEvent } from "../compute/makeLastEvent.ts"
import { canRerun } from "../compute/canRerun.ts"
import type { Services } from "./RunSupervisor.ts"

/**
 * Ends a command that is lost: what is left of its processes on this machine, and then the command, with the fault
 * `HostLost`. A command that is to be run again (`onHostLoss: "rerun"`) and can be is left to daemons. Of several who do this one
 * writes the end.
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
  const noneOf = {
    branch: ComputeBranch.name,
    correlationId: commandId,
    tags: ["LeaseTaken", ...ComputeBranch.lastTags],
  }
  yield* Effect.uninterruptible(Effect.catchReason(
    Effect.asVoid(journal.append([draftEvent(ComputeBranch, fault)], { condition: { after: last.after, noneOf } })),
    "JournalError",
    "Conflict",
    () => Effect.void,
  ))
})

/** Commands that are ended at once: each is a look at all processes, and one that ignores SIGTERM takes its grace. */
const atOnce = 8

/** Ends all commands of a journal that are lost, also those that nobody asks for. */
export const endAllLost = (services: Services): Effect.Effect<void, JournalError> =>
  Effect.flatMap(
    Effect.provideService(commandsWithoutEnd, Journal, services.journal),
    (unended) =>
      Stream.runDrain(Stream.mapEffect(Stream.fromIterable(unended), (record) => endLost(services, record), {
        concurrency: atOnce,
        unordered: true,
      })),
  )
