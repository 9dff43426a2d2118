/** Holds the one PostgreSQL connection on which a store writes. */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { connect } from "../../../sql/postgresSockets.ts"
import { type Query, withAnswerTimeout } from "./connect.ts"
import type { PostgresSettings } from "./options.ts"

/**
 * A writer that pauses within a transaction keeps all others waiting, so the server ends it after this time. Its store
 * then begins the transaction again.
 */
const idleInTransactionTimeout = "60s"

/** Time for a rollback; then the connection is closed instead. */
const rollbackTimeoutMillis = 1_000

export type StatementResults = ReadonlyArray<Exit.Exit<PgConnection.Result, SqlError>>

/**
 * A statement that begins or ends a transaction. It is not prepared: the client repeats a prepared statement that the
 * server has forgotten, which would put it after later statements.
 */
export const controlStatement = (sql: string): Query => ({ sql, params: [], prepare: false })

/** The last result; the first error is the error. */
export const lastResult = (results: StatementResults): Effect.Effect<PgConnection.Result, SqlError> =>
  results.find(Exit.isFailure) ?? results.at(-1) ?? Effect.die(new Error("no statement was sent"))

interface OpenConnection {
  readonly connection: PgConnection.PgConnection
  readonly scope: Scope.Closeable
}

/**
 * The connection that writes. Statements of one call are sent together (the client's `multiplex`), so that a transaction
 * costs two round trips, and holds the lock for one.
 */
export class WriteConnection {
  readonly #settings: PostgresSettings
  readonly #cancelQuery: (processId: number) => Effect.Effect<unknown>
  #open: OpenConnection | undefined
  #pending = 0

  /** `cancelQuery` makes the server cancel the query of a connection; it must use another connection. */
  constructor(settings: PostgresSettings, cancelQuery: (processId: number) => Effect.Effect<unknown>) {
    this.#settings = settings
    this.#cancelQuery = cancelQuery
  }

  get processId(): number | undefined {
    return this.#open?.connection.processId
  }

  readonly open: Effect.Effect<void, SqlError> = Effect.suspend(() =>
    this.#open === undefined ? this.#connect() : Effect.void
  )

  #connect(): Effect.Effect<void, SqlError> {
    const { address, config, lockTimeoutMillis } = this.#settings
    const connecting = connect({
      ...config,
      multiplex: true,
      startupParameters: {
        ...config.startupParameters,
        // 0 would wait without limit.
        lock_timeout: String(Number.isFinite(lockTimeoutMillis) ? Math.max(1, Math.ceil(lockTimeoutMillis)) : 0),
        idle_in_transaction_session_timeout: idleInTransactionTimeout,
      },
    }, address)
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        const scope = yield* Scope.make()
        const connection = yield* Effect.onError(
          restore(Scope.provide(connecting, scope)),
          (cause) => Scope.close(scope, Exit.failCause(cause)),
        )
        this.#open = { connection, scope }
        this.#pending = 0
      })
    )
  }

  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? Effect.void : Scope.close(open.scope, Exit.void)
  })

  runAll(
    queries: ReadonlyArray<Query>,
    timeoutMillis: number = this.#settings.answerTimeoutMillis,
  ): Effect.Effect<StatementResults, SqlError> {
    return Effect.suspend(() => {
      const open = this.#open
      if (open === undefined) return Effect.die(new Error("the connection is not open"))
      this.#pending += queries.length
      const exits = Effect.forEach(
        queries,
        ({ params, prepare, sql }) =>
          Effect.tap(Effect.exit(open.connection.query(sql, params, prepare)), () =>
            Effect.sync(() => {
              this.#pending--
            })),
        { concurrency: "unbounded" },
      )
      return withAnswerTimeout(exits, timeoutMillis)
    })
  }

  run(...queries: ReadonlyArray<Query>): Effect.Effect<PgConnection.Result, SqlError> {
    return Effect.flatMap(this.runAll(queries), lastResult)
  }

  /** Rolls the transaction back, or closes the connection if that fails. Takes at most about two seconds. */
  readonly abandonTransaction: Effect.Effect<void> = Effect.suspend(() => {
    const processId = this.processId
    if (processId === undefined) return Effect.void
    // The server reads nothing while it works on a statement, or waits for a lock.
    const cancelled = this.#pending > 0 ? Effect.asVoid(this.#cancelQuery(processId)) : Effect.void
    const rolledBack = Effect.flatMap(this.runAll([controlStatement("ROLLBACK")], rollbackTimeoutMillis), lastResult)
    return Effect.andThen(
      cancelled,
      Effect.matchEffect(rolledBack, {
        onFailure: () => this.close,
        // This result is the last one: none is pending.
        onSuccess: () =>
          Effect.sync(() => {
            this.#pending = 0
          }),
      }),
    )
  })
}
