/**
 * The one connection that writes: opened when it is needed, and another when it was lost.
 *
 * @module
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { answered } from "./patience.ts"
import type { Settings } from "./options.ts"
import type { Query } from "./scan.ts"
import { connect } from "./sockets.ts"

/**
 * A writer that stops between two statements keeps all others waiting, so the server ends it after a while. Its store
 * then begins its transaction again.
 */
const idleInTransaction = "60s"

/** What statements that were sent together answer, each for itself. */
export type Answers = ReadonlyArray<Exit.Exit<PgConnection.Result, SqlError>>

/** How long to wait for a transaction to be given up before its connection is. */
const rollbackTimeout = 1_000

/**
 * A statement that begins or ends a transaction. The client asks a named one again by itself when the server has
 * forgotten it, and that would be after those that were sent behind it.
 */
export const control = (sql: string): Query => ({ sql, params: [], prepare: false })

interface Open {
  readonly connection: PgConnection.PgConnection
  readonly scope: Scope.Closeable
}

/**
 * Statements that are asked for together travel together: a transaction costs two round trips, and holds the lock for
 * one. That is the client's `multiplex`, with nobody to share the connection with.
 */
export class Session {
  readonly #settings: Settings
  readonly #cancel: (processId: number) => Effect.Effect<unknown>
  #open: Open | undefined
  #asked = 0

  /** `cancel` ends what the server does for a connection, through another connection. */
  constructor(settings: Settings, cancel: (processId: number) => Effect.Effect<unknown>) {
    this.#settings = settings
    this.#cancel = cancel
  }

  /** The server's number of the connection, while there is one. */
  get processId(): number | undefined {
    return this.#open?.connection.processId
  }

  /** Opens the connection if there is none. */
  readonly open: Effect.Effect<void, SqlError> = Effect.suspend(() =>
    this.#open === undefined ? this.#connect() : Effect.void
  )

  #connect(): Effect.Effect<void, SqlError> {
    const { address, config, lockTimeout } = this.#settings
    const connecting = connect({
      ...config,
      multiplex: true,
      startupParameters: {
        ...config.startupParameters,
        lock_timeout: String(Number.isFinite(lockTimeout) ? Math.max(1, Math.ceil(lockTimeout)) : 0),
        idle_in_transaction_session_timeout: idleInTransaction,
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
        this.#asked = 0
      })
    )
  }

  /** Closes the connection; the next {@link open} opens another. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? Effect.void : Scope.close(open.scope, Exit.void)
  })

  /** What the statements answer, each for itself. They are sent at once, and the server runs them one after the other. */
  run(
    queries: ReadonlyArray<Query>,
    timeout: number = this.#settings.answerTimeout,
  ): Effect.Effect<Answers, SqlError> {
    return Effect.suspend(() => {
      const open = this.#open
      // Only what is written wrongly here could ask without a connection.
      if (open === undefined) return Effect.die(new Error("there is no connection"))
      this.#asked += queries.length
      const exits = Effect.forEach(
        queries,
        ({ params, prepare, sql }) =>
          Effect.tap(Effect.exit(open.connection.query(sql, params, prepare)), () =>
            Effect.sync(() => {
              this.#asked--
            })),
        { concurrency: "unbounded" },
      )
      return answered(exits, timeout)
    })
  }

  /** The last answer of several statements; the first error is the error. */
  ask(...queries: ReadonlyArray<Query>): Effect.Effect<PgConnection.Result, SqlError> {
    return Effect.flatMap(this.run(queries), lastOf)
  }

  /** Gives a transaction up: rolls it back, or gives the connection up with it. Takes a second or two at most. */
  readonly abandon: Effect.Effect<void> = Effect.suspend(() => {
    const processId = this.processId
    if (processId === undefined) return Effect.void
    // It waits for a lock, say, and reads nothing meanwhile.
    const freed = this.#asked > 0 ? Effect.asVoid(this.#cancel(processId)) : Effect.void
    const rolledBack = Effect.flatMap(this.run([control("ROLLBACK")], rollbackTimeout), lastOf)
    return Effect.andThen(
      freed,
      Effect.matchEffect(rolledBack, {
        onFailure: () => this.close,
        // It is the last to be answered: nothing is owed any more.
        onSuccess: () =>
          Effect.sync(() => {
            this.#asked = 0
          }),
      }),
    )
  })
}

/** The last of several answers; the first error is the error. */
export const lastOf = (answers: Answers): Effect.Effect<PgConnection.Result, SqlError> =>
  answers.find(Exit.isFailure) ?? answers.at(-1) ?? Effect.die(new Error("nothing was asked"))
