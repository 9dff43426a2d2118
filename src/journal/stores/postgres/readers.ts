/**
 * The connections that read: a few, opened when they are needed.
 *
 * @module
 */
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { Settings } from "./options.ts"
import { answered } from "./patience.ts"
import type { Ask } from "./read.ts"
import { closeTimeout, withSockets } from "./sockets.ts"

/** What reads. */
export interface Readers {
  readonly ask: Ask
  /** Closes the connections; those on which a server that is silent owes an answer are cut. */
  readonly close: Effect.Effect<void>
}

/**
 * The same, but whoever is interrupted does not wait until the server has been told, which takes seconds when it is
 * silent. That goes on by itself, at the longest until the connections are closed.
 */
const lettingGo = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.forkDetach(effect, { startImmediately: true }),
    (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe())),
  )

/** Makes ready to read. */
export const makeReaders = (settings: Settings): Effect.Effect<Readers, SqlError> =>
  Effect.gen(function* () {
    const { address, answerTimeout, config, readers } = settings
    const scope = yield* Scope.make()
    const sockets = yield* Scope.provide(withSockets(config, address), scope)
    const pool = yield* Scope.provide(
      PgPool.make({ ...sockets.config, maxConnections: readers, minConnections: 0 }),
      scope,
    )
    return {
      ask: ({ params, sql }) =>
        answered(lettingGo(pool.use((connection) => connection.query(sql, params))), answerTimeout),
      close: Effect.gen(function* () {
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* Effect.timeoutOrElse(Fiber.await(closing), { duration: closeTimeout, orElse: () => sockets.cut })
        yield* Fiber.await(closing)
      }),
    }
  })
