/** Opens a pool of connections for reads to a PostgreSQL server, and limits the time for an answer. */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { closeTimeoutMillis, trackSockets } from "../../../sql/postgresSockets.ts"
import { answerTimedOut } from "./errors.ts"
import type { PostgresSettings } from "./options.ts"

export interface Query {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** Whether the server keeps it prepared. Default: `true`. */
  readonly prepare?: boolean
}

export type RunQuery = (query: Query) => Effect.Effect<PgConnection.Result, SqlError>

/** Fails like a lost connection if there is no answer in time, even where the query cannot be interrupted. */
export const withAnswerTimeout = <A>(effect: Effect.Effect<A, SqlError>, millis: number): Effect.Effect<A, SqlError> =>
  Effect.timeoutOrElse(effect, { duration: millis, orElse: () => Effect.fail(answerTimedOut(millis)) })

export interface ReadPool {
  readonly run: RunQuery
  /** Closes the connections, those of unanswered queries too. */
  readonly close: Effect.Effect<void>
}

/**
 * Lets an interrupted caller continue at once: the client first asks the server to cancel, which takes seconds if the
 * server does not answer. This request continues in the background, at most until the connections are closed.
 */
const interruptInBackground = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.forkDetach(effect, { startImmediately: true }),
    (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe())),
  )

export const makeReadPool = (settings: PostgresSettings): Effect.Effect<ReadPool, SqlError> =>
  Effect.gen(function* () {
    const { address, answerTimeoutMillis, config, maxReadConnections } = settings
    const scope = yield* Scope.make()
    const sockets = yield* Scope.provide(trackSockets(config, address), scope)
    const pool = yield* Scope.provide(
      PgPool.make({ ...sockets.config, maxConnections: maxReadConnections, minConnections: 0 }),
      scope,
    )
    return {
      run: ({ params, sql }) => {
        const query = interruptInBackground(pool.use((connection) => connection.query(sql, params)))
        return withAnswerTimeout(query, answerTimeoutMillis)
      },
      close: Effect.gen(function* () {
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* Effect.timeoutOrElse(Fiber.await(closing), {
          duration: closeTimeoutMillis,
          orElse: () => sockets.destroy,
        })
        yield* Fiber.await(closing)
      }),
    }
  })
