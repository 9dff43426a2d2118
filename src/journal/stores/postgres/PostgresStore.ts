/** Opens a journal in a PostgreSQL database as a `JournalStore`. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { makeReadPool, type Query, withAnswerTimeout } from "./connect.ts"
import { type Operation, storeClosed, toJournalError } from "./errors.ts"
import { type PostgresOptions, resolveOptions } from "./options.ts"
import { retryWhileAway } from "./retryWhileAway.ts"
import { readHead, readSize, scanLocatingDamage, scanRows } from "./scan.ts"
import { prepareSchema } from "./schema.ts"
import { makeTransact } from "./makeTransact.ts"
import { watchHead } from "./watchHead.ts"
import { WriteConnection } from "./WriteConnection.ts"

/** Time for a statement whose result is optional, such as the name of the holder of a lock. */
const asideTimeoutMillis = 1_000

/**
 * Opens the store of a PostgreSQL journal, for `makeJournal`; its connections are closed with the Scope.
 *
 * Errors: see `PostgresJournal.make`.
 *
 * @example
 * ```ts
 * import { PostgresJournal } from "@sluice/shell/journal/postgres"
 * import { Effect } from "effect"
 *
 * const opened = PostgresJournal.openStore({ host: "localhost", port: 1, username: "sluice", reconnectTimeout: 0 })
 * const error = await Effect.runPromise(Effect.flip(Effect.scoped(opened))) // no server listens at port 1
 * console.log(error.reason._tag) // Unavailable
 * ```
 *
 * @stability experimental
 */
export const openStore = (options: PostgresOptions): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* resolveOptions(options)
    const { location, names, reconnectTimeoutMillis } = settings
    const opening: Operation = { tried: "it was not opened", location, isWrite: true }
    const reading: Operation = { tried: "nothing was read", location, isWrite: false }
    const notification = crypto.randomUUID()

    const pool = yield* Effect.acquireRelease(
      Effect.mapError(makeReadPool(settings), (error) => toJournalError(error, opening)),
      ({ close }) => close,
    )
    const runAside = (query: Query) => Effect.exit(withAnswerTimeout(pool.run(query), asideTimeoutMillis))
    const connection = new WriteConnection(
      settings,
      (processId) => runAside({ sql: "SELECT pg_cancel_backend($1)", params: [PgTypes.int4(processId)] }),
    )
    let isClosed = false
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        return connection.close
      })
    )
    const retry = { reconnectTimeoutMillis, isClosed: () => isClosed }
    const durabilities = yield* retryWhileAway(
      retry,
      opening,
      Effect.andThen(
        connection.open,
        Effect.onError(
          prepareSchema((query) => connection.run(query), settings),
          () => connection.abandonTransaction,
        ),
      ),
    )

    const read = <A>(effect: Effect.Effect<A, SqlError | JournalError>) =>
      // A closing pool interrupts its users.
      Effect.catchCause(
        retryWhileAway(retry, reading, effect),
        (cause) =>
          isClosed && Cause.hasInterruptsOnly(cause) ? Effect.fail(storeClosed(reading)) : Effect.failCause(cause),
      )
    const head = readHead(pool.run, names, reading)
    const position = Effect.map(head, (found) => found.position)
    return {
      name: "postgres",
      location,
      durabilities,
      synchronous: false,
      head: read(head),
      size: read(readSize(pool.run, names, reading)),
      scan: (scan) => read(scanLocatingDamage((part) => scanRows(pool.run, names, reading, part), reading, scan)),
      transact: makeTransact({ settings, retry, connection, notification, runAside }),
      watch: (wake) => watchHead({ settings, notification, position }, wake),
    }
  })
