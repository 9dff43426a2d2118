/**
 * Makes the leaf of the Database branch for a PostgreSQL server.
 *
 * @module
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { ConnectionOptions } from "node:tls"
import { quote } from "../../base/quote.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { defined } from "../../base/defined.ts"
import { OptionError } from "../../base/OptionError.ts"
import { parseLocation } from "../../sql/postgresLocation.ts"
import { Database, type DatabaseService } from "../Database.ts"
import { DriverError } from "../DriverError.ts"
import { type DatabaseLeafOptions, leafSettings, type RequestLimits } from "../leafOptions.ts"
import { attempt, type DatabaseDriver, makeLeaf, type Statement, type StatementResult } from "../makeLeaf.ts"
import { RowMeter } from "../RowMeter.ts"
import { firstWord } from "./firstWord.ts"
import { readableTypes, toParameter, toValue } from "./pgTypes.ts"
import { makeSessions, type Server, type Session } from "./makeSessions.ts"

/** Options of a leaf. */
export interface PostgresDatabaseOptions extends DatabaseLeafOptions {
  /** `postgres://user:password@host:port/database`, as libpq reads it. Variables such as `PGHOST` are not read. */
  readonly url: Redacted.Redacted<string>
  /** A password, or an effect that returns it for each new connection. Default: the URL's. */
  readonly password?: Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>> | undefined
  /** TLS: `true` checks the certificate against the system's authorities. Default: the URL's, else `false`. */
  readonly ssl?: boolean | ConnectionOptions | undefined
}

const fetchRows = 64

const maxMessageSize = 16_777_216

/** First words of statements that end a transaction, or a part of it, and would break its atomicity. */
const endsTransaction = new Set([
  ...["abort", "begin", "commit", "end", "prepare", "release", "rollback", "savepoint", "start"],
])

/** Send functions whose bytes are text. */
const textual = "(enum_|text|citext|char|void_|xml_|cstring_|unknown|varchar|bpchar|name)send"

/** The first of some types whose bytes are not text. */
const unreadable = `SELECT oid::int8 AS oid, typname AS name FROM pg_catalog.pg_type
  WHERE oid::int8 = ANY($1) AND typsend::text !~ '(^|[.])${textual}$' LIMIT 1`

/** Fails for a column whose bytes cannot be read: they would be shown as garbage. */
const checkTypes = (session: Session, fields: ReadonlyArray<PgConnection.Field>): Effect.Effect<void, DriverError> =>
  Effect.gen(function* () {
    const unknown = fields.filter(({ dataTypeId }) => !readableTypes.has(dataTypeId))
    if (unknown.length === 0) return
    const { rows: [found] } = yield* session.run(unreadable, [unknown.map(({ dataTypeId }) => BigInt(dataTypeId))])
    const column = unknown.find(({ dataTypeId }) => dataTypeId === found?.["oid"])?.name
    if (column === undefined) return
    const what = `the column ${quote(column)} is of type ${String(found?.["name"])}, which is not read`
    return yield* Effect.fail(new DriverError("InvalidRequest", `${what}; cast it to text: ${column}::text`))
  })

const makeDriver = (
  lend: (begin: string, maxBytes: number) => Effect.Effect<Session, DriverError, Scope.Scope>,
): DatabaseDriver => {
  const run = (session: Session, { params, sql }: Statement, meter: RowMeter) =>
    Effect.gen(function* () {
      const word = firstWord(sql)
      if (endsTransaction.has(word)) {
        return yield* Effect.fail(
          new DriverError("InvalidRequest", `${word.toUpperCase()} would end the transaction of the request`),
        )
      }
      const { command, fields, rowCount, rows } = yield* session.run(sql, params.map(toParameter))
      yield* checkTypes(session, fields)
      const columns = fields.map(({ name }) => name)
      const twice = columns.find((name, at) => columns.indexOf(name) !== at)
      if (twice !== undefined) {
        return yield* Effect.fail(
          new DriverError("InvalidRequest", `two columns are named ${quote(twice)}; name them with AS`),
        )
      }
      return yield* attempt((): StatementResult => ({
        affectedRows: command === "SELECT" ? 0 : rowCount,
        columns,
        rows: rows.map((each) => {
          const row = columns.map((name) => toValue(each[name]))
          meter.add(row)
          return row
        }),
      }))
    })

  return {
    open: ({ params, sql }, { maxBytes }: RequestLimits) =>
      Effect.gen(function* () {
        const session = yield* lend("BEGIN READ ONLY", maxBytes)
        // A cursor can only hold a query: PostgreSQL's own grammar excludes COMMIT, SET, COPY and DO.
        yield* session.run(`DECLARE sluice_rows NO SCROLL CURSOR FOR ${sql}`, params.map(toParameter))
        const { fields } = yield* session.run("FETCH 0 FROM sluice_rows")
        yield* checkTypes(session, fields)
        return {
          columns: fields.map(({ name }) => name),
          pull: Effect.flatMap(
            session.rows(`FETCH ${fetchRows} FROM sluice_rows`),
            (rows) => attempt(() => rows.map((row) => row.map(toValue))),
          ),
        }
      }),
    transact: (statements, limits, within) =>
      Effect.scoped(Effect.gen(function* () {
        const meter = new RowMeter(limits)
        const { results, session } = yield* within(Effect.gen(function* () {
          const session = yield* lend("BEGIN READ WRITE", limits.maxBytes)
          const results = yield* Effect.forEach(statements, (statement, index) =>
            Effect.mapError(run(session, statement, meter), (error) => error.of(index)))
          return { results, session }
        }))
        yield* Effect.uninterruptible(Effect.mapError(
          session.run("COMMIT"),
          // A violated deferred constraint is an error of the server.
          (error) =>
            error.faultKind === "Unreachable"
              ? new DriverError("OutcomeUnknown", `the connection was lost at the commit: ${error.message}`, error)
              : error,
        ))
        return results
      })),
  }
}

const serverOf = ({ password, ssl, url }: PostgresDatabaseOptions): Server => {
  const text = Redacted.isRedacted(url) ? Redacted.value(url) : undefined
  const none = { host: undefined, port: undefined, database: undefined, username: undefined }
  const location = typeof text === "string" ? parseLocation({ ...none, url: text }) : undefined
  // The client's error for a bad URL would quote it with its password.
  if (location === undefined) {
    throw new OptionError(
      "url",
      "PostgresDatabase: url must be a Redacted string, postgres://user:password@host:port/database",
    )
  }
  const { applicationName = "sluice", host, port } = location
  return {
    config: { url, applicationName, maxMessageSize, ...defined({ password, ssl }) },
    address: { host, port },
    location: location.text,
  }
}

/**
 * Makes the service. It connects with the first request, and keeps at most `maxConnections` connections until its Scope
 * closes.
 *
 * A query is a cursor in a read-only transaction that is rolled back, and that the query cannot change to one that
 * writes. This does not stop functions that act outside of transactions. A `readOnly` leaf refuses a role that is, or
 * may become, a superuser or a role with access to the server's files; the role decides about other functions, such as
 * dblink and `pg_terminate_backend`. A statement is cancelled when its request ends.
 */
export const make = (options: PostgresDatabaseOptions): Effect.Effect<DatabaseService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { server, settings } = yield* attemptOptions(() => ({
      settings: leafSettings("PostgresDatabase", options, { url: true, password: true, ssl: true }),
      server: serverOf(options),
    }))
    return makeLeaf(settings, makeDriver(yield* makeSessions(server, settings)))
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Database } from "@sluice/shell/database"
 * import { PostgresDatabase } from "@sluice/shell/database/postgres"
 * import { Effect, Redacted } from "effect"
 *
 * const layer = PostgresDatabase.layer({ url: Redacted.make("postgres://me@localhost:1/app"), readOnly: true })
 * const change = Effect.flip(Database.execute("DELETE FROM users"))
 * console.log((await Effect.runPromise(Effect.provide(change, layer))).faultKind) // ReadOnly
 * ```
 */
export const layer = (options: PostgresDatabaseOptions): Layer.Layer<Database, OptionError> =>
  Layer.effect(Database, make(options))

/**
 * The layer with options from `Config`. Default: `url` from `SLUICE_DATABASE`.
 *
 * @example
 * ```ts
 * import { Database } from "@sluice/shell/database"
 * import { PostgresDatabase } from "@sluice/shell/database/postgres"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({ SLUICE_DATABASE: "postgres://me@localhost:1/app" })
 * const rows = Database.query("SELECT 1").pipe(
 *   Effect.provide(PostgresDatabase.layerConfig()),
 *   Effect.provideService(ConfigProvider.ConfigProvider, provider),
 * )
 * const fault = await Effect.runPromise(Effect.flip(rows)) // no server listens at port 1
 * console.log(fault._tag) // DatabaseFault
 * ```
 */
export const layerConfig = (
  config?: Config.Config<PostgresDatabaseOptions>,
): Layer.Layer<Database, OptionError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(config ?? Config.all({ url: Config.Redacted("SLUICE_DATABASE") }), layer))
