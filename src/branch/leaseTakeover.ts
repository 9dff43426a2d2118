/** Takes the lease of an open request, step by step. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { LeaseExecution, LeaseTaken } from "./BranchEntry.ts"
import { type DaemonContext, daemonEntryFilter } from "./DaemonContext.ts"
import type { RecoveryReport } from "./EndCause.ts"
import { sharesProcessTable } from "./HostIdentity.ts"
import { acquireLease, isTransient } from "./LeaseHolder.ts"
import type { ObservedLease, OpenRequest } from "./OpenRequests.ts"

const retryDelay = "500 millis"

export const findLapsedLease = ({ hasLapsed: lapsed, lease }: OpenRequest): ObservedLease | undefined =>
  lapsed ? lease : undefined

/** Whether the daemon is alive after all: its entries may be seen late. */
export const hasNewSign = <Request, Event, E>(
  { branch, journal, requests }: DaemonContext<Request, Event, E>,
  { taken }: ObservedLease,
): Effect.Effect<boolean, JournalError> => {
  // Its process was seen to be dead, so no further sign is expected.
  if (!requests.isSilent(taken)) return Effect.succeed(false)
  const filter = daemonEntryFilter(branch, taken.daemonId, ["DaemonStarted", "DaemonAlive"])
  return Effect.map(journal.readBackward({ filter, maxEntries: 1 }), ([entry]) => {
    if (entry === undefined || entry.position <= requests.lastSignOf(taken.daemonId)) return false
    requests.markAlive(taken.daemonId, entry.position)
    return true
  })
}

/** Takes a lease, if no other is first; tries again while the journal cannot be reached and `isWanted`. */
export const acquireLeaseRetrying = <Request, Event, E>(
  { branch, host, id, journal, settings }: DaemonContext<Request, Event, E>,
  { after, attempt, correlationId, execution, isWanted }: {
    readonly correlationId: string
    readonly after: Position
    readonly attempt: number
    readonly execution: LeaseExecution | undefined
    readonly isWanted: () => boolean
  },
): Effect.Effect<Position | undefined, JournalError> => {
  const place = { journal, branch, correlationId }
  const taken: LeaseTaken = {
    _tag: "LeaseTaken",
    attempt,
    daemonId: id,
    ...(execution === undefined ? undefined : { execution }),
    host,
    leaseMillis: settings.leaseMillis,
  }
  return Effect.gen(function* () {
    for (let again = false;; again = true) {
      const result = yield* Effect.result(acquireLease(place, taken, after, again))
      if (Result.isSuccess(result)) return result.success
      if (!isWanted() || !isTransient(result.failure)) return yield* Effect.fail(result.failure)
      yield* Effect.sleep(retryDelay)
    }
  })
}

/** Cleans up a lost run, if its processes are visible from here. */
export const endLostRun = <Request, Event, E>(
  { host, settings }: DaemonContext<Request, Event, E>,
  request: Request,
  lost: LeaseTaken,
): Effect.Effect<RecoveryReport> =>
  sharesProcessTable(lost.host, host) ? settings.recover(request, lost) : Effect.succeed({})
