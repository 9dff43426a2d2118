/**
 * Learning that somebody else has appended.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { Position } from "../../Entry.ts"
import type { Settings } from "./options.ts"
import { answered } from "./patience.ts"
import { connect } from "./sockets.ts"

const firstPause = 100
const longestPause = 5_000

/** What {@link watchHead} goes by. */
export interface Watched {
  readonly settings: Settings
  /** What this store's own notifications say: its journal knows already. */
  readonly writer: string
  /** Where the journal ends. */
  readonly position: Effect.Effect<Position, unknown>
}

/** One connection that listens until it is lost; `heard` runs once it listens, and at each notification of others. */
const listen = ({ settings, writer }: Watched, heard: () => void): Effect.Effect<never, SqlError> =>
  Effect.scoped(Effect.gen(function* () {
    // Closed after the connection, and not before it: on one that is open it would wait for an answer to UNLISTEN.
    const scope = yield* Effect.acquireRelease(Scope.make(), Scope.close)
    const connection = yield* connect(settings.config, settings.address)
    const queue = yield* answered(
      Scope.provide(connection.listen(settings.names.channel), scope),
      settings.answerTimeout,
    )
    // Whatever came before it listened has gone unheard.
    heard()
    for (;;) {
      const notifications = yield* Queue.takeAll(queue)
      if (notifications.some(({ payload }) => payload !== writer)) heard()
    }
  }))

const listenAlways = (watched: Watched, wake: () => void): Effect.Effect<never> => {
  let pause = firstPause
  const heard = (): void => {
    pause = firstPause
    wake()
  }
  // A server that is away may come back; one that refuses (a standby cannot listen) may be promoted. Until then we look.
  return Effect.forever(Effect.andThen(
    Effect.ignore(listen(watched, heard)),
    Effect.suspend(() => {
      const wait = pause
      pause = Math.min(pause * 2, longestPause)
      return Effect.sleep(wait)
    }),
  ))
}

/** Notifications are lost with their connection, and poolers may swallow them. */
const lookAlways = ({ position, settings }: Watched, wake: () => void): Effect.Effect<never> => {
  let seen: Position | undefined
  const look = Effect.map(position, (now) => {
    if (now === seen) return
    seen = now
    wake()
  })
  return Effect.forever(Effect.andThen(Effect.sleep(settings.pollInterval), Effect.ignore(look)))
}

/** See `JournalStore.watch`: listens, and looks now and then, until the Scope closes. */
export const watchHead = (watched: Watched, wake: () => void): Effect.Effect<void, never, Scope.Scope> =>
  Effect.andThen(
    Effect.forkScoped(listenAlways(watched, wake)),
    Effect.asVoid(Effect.forkScoped(lookAlways(watched, wake))),
  )
