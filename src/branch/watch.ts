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

/** Ends the request if the daemon that has it is lost, and no other comes. */
const untilEnded = <Request, Event>(
  { acceptMillis }: ClientSettings<Request, Event>,
  asked: Asked<Request, Event>,
): Effect.Effect<void, JournalError> =>
  Effect.gen(function* () {
    let seen: Position = 0
    while (!asked.over) {
      const { cursor, lease } = asked
      // Who has it for as long as it lives says no more: nobody but a daemon on its machine can tell.
      if (lease?.taken === undefined || lease.taken.lasts === null) return
      yield* Effect.sleep(lease.taken.lasts + acceptMillis)
      if (asked.cursor > cursor) continue
      const sign = yield* asked.newestSign(Math.max(seen, lease.position), lease.taken.daemon)
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
