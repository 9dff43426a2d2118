/** Wakes the tails of a journal when another process has appended to PostgreSQL. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { cappedBackoff } from "../../../base/cappedBackoff.ts"
import type { Position } from "../../Entry.ts"
import { connect } from "../../../sql/postgresSockets.ts"
import { withAnswerTimeout } from "./connect.ts"
import type { PostgresSettings } from "./options.ts"

export interface WatchContext {
  readonly settings: PostgresSettings
  /** The payload of this store's own notifications, which are ignored. */
  readonly notification: string
  readonly position: Effect.Effect<Position, unknown>
}

/** Listens on a connection until it is lost; wakes once it listens, and at each notification of another store. */
const listen = ({ notification, settings }: WatchContext, wake: () => void): Effect.Effect<never, SqlError> =>
  Effect.scoped(Effect.gen(function* () {
    // Closed after the connection: on an open connection it would wait for the answer to UNLISTEN.
    const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const connection = yield* connect(settings.config, settings.address)
    const queue = yield* withAnswerTimeout(
      Scope.provide(connection.listen(settings.names.channel), scope),
      settings.answerTimeoutMillis,
    )
    // Notifications before this moment were missed.
    wake()
    for (;;) {
      const notifications = yield* Queue.takeAll(queue)
      if (notifications.some(({ payload }) => payload !== notification)) wake()
    }
  }))

/** Listens again whenever the connection is lost or refused: a standby, which cannot listen, may be promoted. */
const keepListening = (context: WatchContext, wake: () => void): Effect.Effect<never> =>
  Effect.forever(Effect.suspend(() => {
    let hasListened = false
    const heard = (): void => {
      hasListened = true
      wake()
    }
    return Effect.retry(listen(context, heard), {
      schedule: cappedBackoff("100 millis", "5 seconds"),
      // After a connection that worked, the pauses start again from the shortest.
      while: () => !hasListened,
    }).pipe(Effect.ignore, Effect.andThen(Effect.sleep("100 millis")))
  }))

/** Polls the head: notifications are lost with their connection, and poolers may swallow them. */
const poll = ({ position, settings }: WatchContext, wake: () => void): Effect.Effect<never> => {
  let last: Position | undefined
  const look = Effect.map(position, (now) => {
    if (now === last) return
    last = now
    wake()
  })
  return Effect.forever(Effect.andThen(Effect.sleep(settings.pollIntervalMillis), Effect.ignore(look)))
}

export const watchHead = (context: WatchContext, wake: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.andThen(
    Effect.forkScoped(keepListening(context, wake)),
    Effect.asVoid(Effect.forkScoped(poll(context, wake))),
  )
