/**
 * Lends connections to a PostgreSQL server, each to one request at a time, in a transaction, and discards the session state
 * that a request leaves.
 *
 * The client's pool is not used: type parsers count the bytes that a request loads into memory, and each belongs to one
 * connection.
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { SqlError } from "effect/sql/SqlError"
import { isLost } from "../../sql/postgresErrors.ts"
import type { Address } from "../../sql/postgresLocation.ts"
import { connect } from "../../sql/postgresSockets.ts"
import { DriverError } from "../DriverError.ts"
import type { LeafSettings } from "../leafOptions.ts"
import { toDriverError } from "./toDriverError.ts"
import { makeTypes, type ReadBudget } from "./pgTypes.ts"

/** Time to end the transaction of a request; then the connection is closed instead. */
const cleanUpMillis = 5_000

/** Additional time after which the server ends a request that this process could not end itself. */
const spareMillis = 10_000

export interface Server {
  readonly config: PgConnection.Config
  readonly address: Address
  readonly location: string
}

export interface Session {
  /** Runs one statement by the extended protocol, which refuses a second one. */
  readonly run: (sql: string, params?: ReadonlyArray<unknown>) => Effect.Effect<PgConnection.Result, DriverError>
  /** As `run`, with the cells of the rows in order. */
  readonly rows: (sql: string) => Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, DriverError>
}

interface OpenSession {
  readonly connection: PgConnection.PgConnection
  readonly budget: ReadBudget
  readonly scope: Scope.Closeable
}

/**
 * Whether the user is, or may become by `SET ROLE`, a superuser or one of the roles whose functions reach files and programs
 * of the server outside of any transaction.
 */
const isPowerful = `SELECT pg_catalog.bool_or(pg_catalog.pg_has_role(session_user, oid, 'MEMBER')) AS powerful
  FROM pg_catalog.pg_roles WHERE rolsuper
  OR rolname IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')`

const close = ({ scope }: OpenSession): Effect.Effect<void> => Scope.close(scope, Exit.void)

export const makeSessions = (
  { address, config, location }: Server,
  { maxConnections, readOnly, timeoutMillis }: LeafSettings,
): Effect.Effect<
  (begin: string, maxBytes: number) => Effect.Effect<Session, DriverError, Scope.Scope>,
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const places = Semaphore.makeUnsafe(maxConnections)
    const idle: Array<OpenSession> = []
    let isClosed = false
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        return Effect.forEach(idle.splice(0), close, { concurrency: "unbounded", discard: true })
      })
    )

    /** Settings that override those of a request, and end the sessions of a killed process. */
    const startupParameters = {
      datestyle: "ISO",
      intervalstyle: "iso_8601",
      timezone: "UTC",
      statement_timeout: String(timeoutMillis + spareMillis),
      idle_in_transaction_session_timeout: String(timeoutMillis + spareMillis),
      ...(readOnly ? { default_transaction_read_only: "on" } : {}),
    }

    const open: Effect.Effect<OpenSession, SqlError | DriverError> = Effect.gen(function* () {
      const scope = yield* Scope.make()
      const budget: ReadBudget = { left: Infinity }
      const opened = Effect.gen(function* () {
        const connection = yield* Scope.provide(
          connect({ ...config, startupParameters, types: makeTypes(budget) }, address),
          scope,
        )
        if (readOnly && (yield* connection.query(isPowerful, [], false)).rows[0]?.["powerful"] !== false) {
          const what = "its user can become a role that can read files or run programs of the server"
          return yield* Effect.fail(
            new DriverError(
              "NotAllowed",
              `${location} is not read-only: ${what}; give this leaf a role without this right`,
            ),
          )
        }
        return { connection, budget, scope }
      })
      return yield* Effect.onError(opened, (cause) => Scope.close(scope, Exit.failCause(cause)))
    })

    /** An idle connection may have been lost since its last request: before `BEGIN` was answered, nothing was done. */
    const begin = (sql: string): Effect.Effect<OpenSession, SqlError | DriverError> =>
      Effect.suspend(() => {
        const known = idle.pop()
        return Effect.flatMap(known === undefined ? open : Effect.succeed(known), (session) =>
          session.connection.query(sql, [], false).pipe(
            Effect.as(session),
            Effect.onError(() => close(session)),
            Effect.catchIf(
              (error) =>
                known !== undefined && isLost(error),
              () => begin(sql),
            ),
          ))
      })

    const giveBack = (session: OpenSession): Effect.Effect<void> => {
      session.budget.left = Infinity
      const { query } = session.connection
      // After a commit the transaction has ended, and this statement only warns.
      return Effect.andThen(query("ROLLBACK", [], false), query("DISCARD ALL", [], false)).pipe(
        Effect.timeout(cleanUpMillis),
        Effect.matchEffect({
          onFailure: () => close(session),
          onSuccess: () => isClosed ? close(session) : Effect.sync(() => void idle.push(session)),
        }),
      )
    }

    return (sql, maxBytes) =>
      Effect.gen(function* () {
        yield* Effect.acquireRelease(places.take(1), () => places.release(1), { interruptible: true })
        const session = yield* Effect.acquireRelease(
          Effect.mapError(begin(sql), (error) => error instanceof DriverError ? error : toDriverError(error, location)),
          giveBack,
          { interruptible: true },
        )
        const { budget, connection } = session
        // Cells are shorter as JSON than here: an integer has 8 bytes.
        budget.left = 2 * maxBytes + 65_536
        const explain = (error: SqlError): DriverError =>
          budget.left < 0
            ? new DriverError("TooLarge", `the rows are larger than ${maxBytes} bytes`)
            : toDriverError(error, location)
        return {
          run: (sql, params = []) => Effect.mapError(connection.query(sql, params, false), explain),
          rows: (sql) => Effect.mapError(connection.queryValues(sql, [], false), explain),
        }
      })
  })
