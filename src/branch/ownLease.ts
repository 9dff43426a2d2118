/**
 * Holds the lease of a request that this process runs itself, by heartbeats, and finds out whether that of another process holds:
 * one of another machine cannot be seen, so only its silence shows that it is lost.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { monotonicMillis } from "../base/monotonicTime.ts"
import { completeLater } from "../base/waits.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { decodeBranchEntry, draftBranchEntry, type LeaseTaken } from "./BranchEntry.ts"
import { daemonEntryFilter } from "./DaemonContext.ts"
import { checkLiveness, currentHost, type HostIdentity, isSame, type Liveness, nameProcess } from "./HostIdentity.ts"
import { isConflict, type LeaseTarget } from "./LeaseHolder.ts"
import { newestLease } from "./newestLease.ts"

/** Time without a heartbeat after which another machine may take such a request over; a heartbeat comes after a third of it. */
export const ownLeaseMillis = 15_000

const renewMillis = ownLeaseMillis / 3

/** Share of a lease after which its holder stops if it could not renew it: the rest is for ending what it does. */
const heldShare = 14 / 15

/** Leases that are renewed here. A worker of this process has its own. */
const renewed = new Set<string>()

/** Whether the process of a lease lives. If it is this one, it may have stopped the request when its journal was gone. */
const checkHolder = ({ daemonId, host, leaseMillis }: LeaseTaken, isUnseenLost: boolean): Effect.Effect<Liveness> =>
  Effect.flatMap(currentHost, (me) => {
    const mayBeOver = daemonId.startsWith("in-process") && isSame(host, me) && !renewed.has(daemonId) &&
      (isUnseenLost || leaseMillis !== null)
    return mayBeOver ? Effect.succeed("unknown") : checkLiveness(host)
  })

/** The reason to stop a running request: another process has its lease, or its lease could not be renewed in time. */
export type LeaseLoss = "taken" | "expired"

/** Renews a lease until the scope is closed. The returned Effect waits until it is lost. */
export const renewOwnLease = (
  { branch, correlationId, journal }: LeaseTarget,
  { daemonId, position }: { readonly daemonId: string; readonly position: Position },
): Effect.Effect<Effect.Effect<LeaseLoss>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const lost = Deferred.makeUnsafe<LeaseLoss>()
    renewed.add(daemonId)
    yield* Effect.addFinalizer(() => Effect.sync(() => renewed.delete(daemonId)))
    const noneOf = { branch: branch.name, correlationId, tags: ["LeaseTaken", ...branch.lastTags] }
    let renewedMillis = yield* monotonicMillis
    const renew = Effect.gen(function* () {
      const began = yield* monotonicMillis
      // That of the daemons of the branch, where there are any: a new one begins to read there.
      const [newest] = yield* journal.readBackward({ filter: daemonEntryFilter(branch), maxEntries: 1 })
      const sign = newest === undefined ? undefined : decodeBranchEntry(branch, newest)
      const settledThrough = sign !== undefined && "settledThrough" in sign ? sign.settledThrough : 0
      const alive = { _tag: "DaemonAlive", daemonId, leaseMillis: ownLeaseMillis, settledThrough } as const
      yield* journal.append([draftBranchEntry(branch, daemonId, alive)], { condition: { after: position, noneOf } })
      renewedMillis = began
    })
    // A lease that cannot be read takes none away.
    const isTaken = Effect.map(
      newestLease(journal, branch, correlationId, { after: position }),
      (newer) => newer !== undefined,
    )
    const lose = (loss: LeaseLoss): Effect.Effect<never> => {
      completeLater(lost, Effect.succeed(loss))
      return Effect.never
    }
    const tried = Effect.catch(renew, (error) =>
      isConflict(error)
        ? Effect.flatMap(isTaken, (taken) =>
          taken ? lose("taken") : Effect.void)
        : Effect.logWarning(`branch ${branch.name}: ${correlationId}: its lease was not renewed: ${error.message}`))
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(Effect.sleep(renewMillis), Effect.ignore(tried))),
    )
    // Apart from the appends, which may hang.
    yield* Effect.forkScoped(Effect.forever(Effect.gen(function* () {
      const began = yield* monotonicMillis
      const left = renewedMillis + ownLeaseMillis * heldShare - began
      if (left <= 0) {
        return yield* lose("expired")
      }
      yield* Effect.sleep(left)
      // After a stall of this process all timers fire at once: the renewal, which finds out who has the lease, comes first.
      const late = (yield* monotonicMillis) - began - left
      if (late > 0) {
        yield* Effect.sleep(Math.min(late, renewMillis))
      }
    })))
    return Deferred.await(lost)
  })

/**
 * Finds the process that holds the newest lease of a request that was begun at a position; `undefined` if it is dead. One that
 * cannot be seen from here is watched for the duration of its lease, and is lost if it gives no sign; with `isUnseenLost` it
 * is lost at once.
 */
export const findLeaseHolder = (
  { branch, correlationId, journal }: Omit<LeaseTarget, "branch"> & { readonly branch: { readonly name: string } },
  { after, isUnseenLost = false }: { readonly after: Position; readonly isUnseenLost?: boolean },
): Effect.Effect<HostIdentity | undefined, JournalError> =>
  Effect.gen(function* () {
    const lease = yield* newestLease(journal, branch, correlationId, { after })
    if (lease === undefined) return undefined
    const { daemonId, host, leaseMillis } = lease.taken
    const liveness = yield* checkHolder(lease.taken, isUnseenLost)
    if (liveness === "dead" || (liveness === "unknown" && isUnseenLost)) return undefined
    // A lease without heartbeats holds while its process lives, which cannot be seen from here.
    if (liveness === "alive" || leaseMillis === null) return host
    yield* Effect.logInfo(
      `branch ${branch.name}: ${correlationId}: watching for ${leaseMillis} ms whether ${nameProcess(host)} ` +
        "still runs it",
    )
    const newestSign = Effect.map(
      journal.readBackward({ filter: daemonEntryFilter(branch, daemonId), maxEntries: 1 }),
      ([sign]) => sign?.position,
    )
    const first = yield* newestSign
    for (let third = 0; third < 3; third++) {
      yield* Effect.sleep(leaseMillis / 3)
      if ((yield* newestSign) !== first) return host
    }
    const now = yield* newestLease(journal, branch, correlationId, { after })
    return now === undefined || now.position === lease.position ? undefined : now.taken.host
  })
