/** The `Database` service, and operators that query and change the database of the context. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { refuseUnknownOptions } from "../base/OptionError.ts"
import { requestOne } from "../branch/requestOne.ts"
import type { RequestService } from "../branch/ServiceBranch.ts"
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

/** A service for one database. */
export interface DatabaseService extends RequestService<DatabaseRequest, DatabaseEvent, DatabaseFault> {}

/** A row: its cells by the names of their columns. Of columns with one name it has the last. */
export type DatabaseRow = Readonly<Record<string, DatabaseValue>>

/** Limits of a request, which lower those of the leaf, and its id. */
export interface DatabaseOptions
  extends Partial<Pick<typeof DatabaseQuery.Type, "correlationId" | "maxRows" | "maxBytes">> {
  /** Time of the request, of that which its reader takes too. Default: that of the leaf. */
  readonly timeout?: DurationInput | undefined
}

const optionNames: Readonly<Record<keyof DatabaseOptions, true>> = {
  correlationId: true,
  maxRows: true,
  maxBytes: true,
  timeout: true,
}

/** The fields of a request. A timeout of `Infinity` lowers none. */
const fieldsOf = ({ timeout = Infinity, ...fields }: DatabaseOptions) => {
  refuseUnknownOptions("Database", fields, optionNames)
  const timeoutMillis = Math.ceil(positiveMillisOf("timeout", timeout))
  return { ...fields, ...(timeoutMillis === Infinity ? undefined : { timeoutMillis }) }
}

const Base: Context.ServiceClass<Database, "@sluice/shell/Database", DatabaseService> = Context.Service<
  Database,
  DatabaseService
>()("@sluice/shell/Database")

type Answer<Tag extends DatabaseEvent["_tag"]> = Effect.Effect<
  Extract<DatabaseEvent, { _tag: Tag }>,
  DatabaseFault,
  Database
>

/** The answer to a request, which is made when the effect runs: repeated, it is another one, with another id. */
const ask = <Tag extends DatabaseEvent["_tag"]>(makeRequest: () => DatabaseRequest, tag: Tag): Answer<Tag> =>
  Effect.flatMap(Database, (database) => {
    const request = makeRequest()
    return Effect.filterOrFail(
      requestOne(database, request),
      (event): event is Extract<DatabaseEvent, { _tag: Tag }> => event._tag === tag,
      ({ _tag }) => databaseFault(request, "Failed", `the answer was ${_tag}`),
    )
  })

/**
 * Queries and changes a database. The layer decides which: `PostgresDatabase`, `SqliteDatabase`, or `MockDatabase`.
 *
 * @throws {OptionError} for an unknown option, a `timeout` that is no time span, and a parameter that no database takes.
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
    const fields = { ...fieldsOf(options), sql, params: checkParams(params) }
    return Stream.unwrap(Effect.map(Database, (database) => database.request(DatabaseQuery.make(fields)))).pipe(
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
    const fields = { ...fieldsOf(options), sql, params: checkParams(params) }
    return ask(() => DatabaseExecute.make(fields), "DatabaseExecuted")
  }

  /** Runs statements, each a text or a text with parameters, in one transaction: all of them, or none. */
  static transaction(
    statements: ReadonlyArray<string | readonly [sql: string, params: ReadonlyArray<DatabaseValue>]>,
    options: DatabaseOptions = {},
  ): Answer<"DatabaseCommitted"> {
    const all = statements.map((one, at) => {
      const [sql, params = []] = typeof one === "string" ? [one] : one
      return { sql, params: checkParams(params, `Database, statement ${at + 1}`) }
    })
    const fields = { ...fieldsOf(options), statements: all }
    return ask(() => DatabaseTransaction.make(fields), "DatabaseCommitted")
  }
}
