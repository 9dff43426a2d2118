/** Declares the `Database` service, and operators that query and change the database of the context. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { refuseUnknownOptions } from "../base/OptionError.ts"
import { attemptRequest } from "../branch/attemptRequest.ts"
import { requestOne } from "../branch/requestOne.ts"
import type { RequestService } from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"
import { checkParams } from "./checkParams.ts"
import { databaseFault } from "./DatabaseBranch.ts"
import {
  type DatabaseEvent,
  DatabaseExecute,
  type DatabaseFault,
  DatabaseQuery,
  type DatabaseRequest,
  DatabaseTransaction,
} from "./DatabaseEntry.ts"
import type { DatabaseValue } from "./DatabaseValue.ts"
import { DriverError } from "./DriverError.ts"

/** A service for one database. */
export interface DatabaseService extends RequestService<DatabaseRequest, DatabaseEvent, DatabaseFault> {}

/** A row: its cells by the names of their columns. If columns share a name, the last one wins. */
export type DatabaseRow = Readonly<Record<string, DatabaseValue>>

/** Limits of a request, which lower those of the leaf, and its id. */
export interface DatabaseOptions
  extends Partial<Pick<typeof DatabaseQuery.Type, "correlationId" | "maxRows" | "maxBytes">> {
  /** Timeout of the request, including the time of its reader. Default: the leaf's. */
  readonly timeout?: DurationInput | undefined
}

const optionNames: Readonly<Record<keyof DatabaseOptions, true>> = {
  correlationId: true,
  maxRows: true,
  maxBytes: true,
  timeout: true,
}

type Fields = ReturnType<typeof fieldsOf>

/** The fields of a request. A timeout of `Infinity` does not lower that of the leaf. */
const fieldsOf = ({ timeout = Infinity, ...fields }: DatabaseOptions) => {
  refuseUnknownOptions("Database", fields, optionNames)
  const timeoutMillis = Math.ceil(positiveMillisOf("timeout", timeout))
  return { ...fields, ...(timeoutMillis === Infinity ? undefined : { timeoutMillis }) }
}

/** Makes a request. Invalid options and parameters become its fault. */
const requestOf = <Request extends DatabaseRequest>(
  _tag: Request["_tag"],
  options: DatabaseOptions,
  make: (fields: Fields) => Request,
): Effect.Effect<Request, DatabaseFault> =>
  attemptRequest(() => make(fieldsOf(options)), (message, error) =>
    databaseFault(
      { _tag, correlationId: options.correlationId ?? CommandId.make() },
      "InvalidRequest",
      message,
      { statement: error instanceof DriverError ? error.statement : undefined },
    ))

const Base: Context.ServiceClass<Database, "@sluice/shell/Database", DatabaseService> = Context.Service<
  Database,
  DatabaseService
>()("@sluice/shell/Database")

type Answer<Tag extends DatabaseEvent["_tag"]> = Effect.Effect<
  Extract<DatabaseEvent, { _tag: Tag }>,
  DatabaseFault,
  Database
>

const answerOf = <Request extends DatabaseRequest, Tag extends DatabaseEvent["_tag"]>(
  makeRequest: Effect.Effect<Request, DatabaseFault>,
  tag: Tag,
): Answer<Tag> =>
  Effect.gen(function* () {
    const request = yield* makeRequest
    return yield* Effect.filterOrFail(
      requestOne(yield* Database, request),
      (event): event is Extract<DatabaseEvent, { _tag: Tag }> => event._tag === tag,
      ({ _tag }) => databaseFault(request, "Failed", `the answer was ${_tag}`),
    )
  })

/**
 * Queries and changes a database. The layer decides which: `PostgresDatabase`, `SqliteDatabase`, or `MockDatabase`.
 *
 * An unknown option, a `timeout` that is no time span and a parameter that no database takes fail with `InvalidRequest`.
 *
 * @example
 * ```ts
 * import { Database, SqliteDatabase } from "@sluice/shell/database"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const program = Effect.gen(function* () {
 *   yield* Database.transaction(["CREATE TABLE users (name text)", ["INSERT INTO users VALUES ($1)", ["Ada"]]])
 *   return yield* Database.query("SELECT name, length(name) AS length FROM users")
 * })
 * const path = join(mkdtempSync(join(tmpdir(), "database-")), "app.db")
 * const rows = await Effect.runPromise(Effect.provide(program, SqliteDatabase.layer({ path })))
 * console.log(JSON.stringify(rows)) // [{"name":"Ada","length":3}]
 * ```
 */
export class Database extends Base {
  /** The rows of a query, which the database runs read-only. */
  static query(
    sql: string,
    params: ReadonlyArray<DatabaseValue> = [],
    options: DatabaseOptions = {},
  ): Effect.Effect<ReadonlyArray<DatabaseRow>, DatabaseFault, Database> {
    return Stream.runCollect(Database.stream(sql, params, options))
  }

  /** The rows of a query as they are pulled; the end of the stream cancels the query. */
  static stream(
    sql: string,
    params: ReadonlyArray<DatabaseValue> = [],
    options: DatabaseOptions = {},
  ): Stream.Stream<DatabaseRow, DatabaseFault, Database> {
    const request = requestOf(
      "DatabaseQuery",
      options,
      (fields) => DatabaseQuery.make({ ...fields, sql, params: checkParams(params) }),
    )
    return Stream.unwrap(Effect.zipWith(request, Database, (one, database) => database.request(one))).pipe(
      Stream.filter((event) => event._tag === "DatabaseRows"),
      Stream.flatMap(({ columns, rows }) =>
        Stream.fromIterable(rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))))
      ),
    )
  }

  /** Runs one statement that may change something, in a transaction of its own. */
  static execute(
    sql: string,
    params: ReadonlyArray<DatabaseValue> = [],
    options: DatabaseOptions = {},
  ): Answer<"DatabaseExecuted"> {
    const request = requestOf(
      "DatabaseExecute",
      options,
      (fields) => DatabaseExecute.make({ ...fields, sql, params: checkParams(params) }),
    )
    return answerOf(request, "DatabaseExecuted")
  }

  /** Runs statements, each a text or a text with parameters, in one transaction: all of them, or none. */
  static transaction(
    statements: ReadonlyArray<string | readonly [sql: string, params: ReadonlyArray<DatabaseValue>]>,
    options: DatabaseOptions = {},
  ): Answer<"DatabaseCommitted"> {
    const request = requestOf("DatabaseTransaction", options, (fields) =>
      DatabaseTransaction.make({
        ...fields,
        statements: statements.map((one, at) => {
          const [sql, params = []] = typeof one === "string" ? [one] : one
          return { sql, params: checkParams(params, at) }
        }),
      }))
    return answerOf(request, "DatabaseCommitted")
  }
}
