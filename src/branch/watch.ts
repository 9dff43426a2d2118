/**
 * What a client does while it waits: it sees to it that a request ends also when nobody answers it.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { Asked, ClientSettings } from "./Asked.ts"
import type { LeaseTaken } from "./BranchEntry.ts"
import { isAlive, isPeer } from "./HostIdentity.ts"

/** The tail may be behind what a condition has seen. */
const moment = "1 second"

/** Ends the request if no daemon takes it. */
const untilTaken = <Request, Event>(
  { acceptMillis, queueMillis }: ClientSettings<Request, Event>,
  asked: Asked<Request, Event>,
  position: Position,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    let seen = position
    let wait = acceptMillis
    while (!asked.over && asked.lease === undefined) {
      const left = began + queueMillis - (yield* Clock.currentTimeMillis)
      yield* Effect.timeoutOption(Deferred.await(asked.taken), Math.max(0, Math.min(wait, left)))
      if (asked.over || asked.lease !== undefined) return
      const late = (yield* Clock.currentTimeMillis) - began >= queueMillis
      const sign = late ? undefined : yield* asked.newestSign(seen)
      if (sign === undefined) {
        const why = late ? "busy" : "nobody"
        yield* asked.withdraw(position, { _tag: "NotTaken", afterMillis: late ? queueMillis : wait, why })
        yield* Effect.sleep(moment)
      } else {
        seen = sign.position
        wait = Math.max(acceptMillis, sign.lasts)
      }
    }
  })

/** Time between looks at a process of this machine. */
const look = "500 millis"

/** Waits until a lease has changed, or its daemon is seen to be dead; for no longer than it lasts. */
const untilLost = <Request, Event>(
  { host }: ClientSettings<Request, Event>,
  asked: Asked<Request, Event>,
  taken: LeaseTaken,
  lasts: number,
): Effect.Effect<void> => {
  if (!isPeer(taken.host, host)) return Effect.sleep(lasts)
  const dead = Effect.gen(function* () {
    while (asked.lease?.taken === taken && !asked.over) {
      if ((yield* isAlive(taken.host)) === "dead") return
      yield* Effect.sleep(look)
    }
  })
  return Effect.raceFirst(dead, Effect.sleep(lasts))
}

/** Ends the request if the daemon that has it is lost, and no other comes. */
const untilEnded = <Request, Event>(
  settings: ClientSettings<Request, Event>,
  asked: Asked<Request, Event>,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    const { acceptMillis } = settings
    let seen: Position = 0
    while (!asked.over) {
      const { cursor, lease } = asked
      // Who has it for as long as it lives says no more: nobody but a daemon on its machine can tell.
      if (lease?.taken === undefined || lease.taken.leaseMillis === null) return
      yield* untilLost(settings, asked, lease.taken, lease.taken.leaseMillis)
      // Another daemon, perhaps one that is being started, can end what is left of it.
      yield* Effect.sleep(acceptMillis)
      if (asked.cursor > cursor) continue
      const sign = yield* asked.newestSign(Math.max(seen, lease.position), lease.taken.daemonId)
      if (sign === undefined) {
        yield* asked.giveUp(lease.taken, lease.position)
        yield* Effect.sleep(moment)
      } else seen = sign.position
    }
  })

/** Ends a request that nobody answers, sooner or later. */
export const watch = <Request, Event>(
  settings: ClientSettings<Request, Event>,
  asked: Asked<Request, Event>,
  position: Position,
): Effect.Effect<void, JournalError> =>
  Effect.andThen(untilTaken(settings, asked, position), untilEnded(settings, asked))
