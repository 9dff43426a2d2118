/** Ends a client's request, by appending its last event, when no daemon takes it in time or its daemon is lost. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { monotonicMillis } from "../base/monotonicTime.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { ClientSettings, PendingRequest } from "./PendingRequest.ts"
import type { LeaseTaken } from "./BranchEntry.ts"
import { checkLiveness, isVisiblePeer } from "./HostIdentity.ts"

/** Time for the tail to catch up with the entries that a condition has seen. */
const tailDelay = "1 second"

const endIfNotTaken = <Request, Event>(
  { acceptMillis, queueMillis }: ClientSettings<Request, Event>,
  asked: PendingRequest<Request, Event>,
  position: Position,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const began = yield* monotonicMillis
    let seen = position
    let wait = acceptMillis
    while (!asked.isOver && asked.lease === undefined) {
      const left = began + queueMillis - (yield* monotonicMillis)
      yield* Effect.timeoutOption(Deferred.await(asked.taken), Math.max(0, Math.min(wait, left)))
      if (asked.isOver || asked.lease !== undefined) return
      const late = (yield* monotonicMillis) - began >= queueMillis
      const sign = late ? undefined : yield* asked.newestSign(seen)
      if (sign === undefined) {
        const why = late ? "busy" : "noDaemon"
        yield* asked.withdraw(position, { _tag: "NotTaken", afterMillis: late ? queueMillis : wait, why })
        yield* Effect.sleep(tailDelay)
      } else {
        seen = sign.position
        wait = Math.max(acceptMillis, sign.leaseMillis)
      }
    }
  })

const livenessInterval = "500 millis"

/** Waits until a lease has changed, or its daemon is seen to be dead; at most until the lease expires. */
const waitUntilLost = <Request, Event>(
  { host }: ClientSettings<Request, Event>,
  asked: PendingRequest<Request, Event>,
  taken: LeaseTaken,
  leaseMillis: number,
): Effect.Effect<void> => {
  if (!isVisiblePeer(taken.host, host)) return Effect.sleep(leaseMillis)
  const dead = Effect.gen(function* () {
    while (asked.lease?.leaseTaken === taken && !asked.isOver) {
      if ((yield* checkLiveness(taken.host)) === "dead") return
      yield* Effect.sleep(livenessInterval)
    }
  })
  return Effect.raceFirst(dead, Effect.sleep(leaseMillis))
}

const endIfLost = <Request, Event>(
  settings: ClientSettings<Request, Event>,
  asked: PendingRequest<Request, Event>,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { acceptMillis } = settings
    let seen: Position = 0
    while (!asked.isOver) {
      const { cursor, lease } = asked
      // A holder without heartbeats can be observed only from its own machine, by a daemon.
      if (lease === undefined || lease.leaseTaken.leaseMillis === null) return
      yield* waitUntilLost(settings, asked, lease.leaseTaken, lease.leaseTaken.leaseMillis)
      // Another daemon, perhaps one that is just starting, can clean up the run.
      yield* Effect.sleep(acceptMillis)
      if (asked.cursor > cursor) continue
      const sign = yield* asked.newestSign(Math.max(seen, lease.position), lease.leaseTaken.daemonId)
      if (sign === undefined) {
        yield* asked.endAsLost(lease.leaseTaken, lease.position)
        yield* Effect.sleep(tailDelay)
      } else seen = sign.position
    }
  })

export const endIfUnanswered = <Request, Event>(
  settings: ClientSettings<Request, Event>,
  asked: PendingRequest<Request, Event>,
  position: Position,
): Effect.Effect<void, JournalError> =>
  Effect.andThen(endIfNotTaken(settings, asked, position), endIfLost(settings, asked))
