/** Schemas of the messages of the Database branch: statements, their rows and results, their fault. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type EventSchema, eventSchema, type RequestSchema, requestSchema } from "../branch/messageSchemas.ts"
import { CommandId } from "../command/CommandId.ts"
import { DatabaseValue } from "./DatabaseValue.ts"

/** The fields of a statement: SQL, and the values of its parameters. */
export type DatabaseStatementFields = {
  readonly sql: typeof Schema.String
  readonly params: Schema.withConstructorDefault<Schema.$Array<typeof DatabaseValue>>
}

/** The fields of the limits of an answer: rows, bytes, milliseconds. */
export type DatabaseLimitFields = {
  readonly maxRows: Schema.optionalKey<typeof Schema.Int>
  readonly maxBytes: Schema.optionalKey<typeof Schema.Int>
  readonly timeoutMillis: Schema.optionalKey<typeof Schema.Int>
}

/** The fields of a statement's changes and of its returned rows. */
export type DatabaseResultFields = {
  readonly affectedRows: typeof Schema.Int
  readonly columns: Schema.$Array<typeof Schema.String>
  readonly rows: Schema.$Array<Schema.$Array<typeof DatabaseValue>>
}

const statement: DatabaseStatementFields = {
  sql: Schema.String,
  params: Schema.Array(DatabaseValue).pipe(Schema.withConstructorDefault(Effect.succeed([]))),
}
const limit = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
const limits: DatabaseLimitFields = { maxRows: limit, maxBytes: limit, timeoutMillis: limit }
const columns = Schema.Array(Schema.String)
const rows = Schema.Array(Schema.Array(DatabaseValue))
const result: DatabaseResultFields = { affectedRows: Schema.Int, columns, rows }

/**
 * Schema of a request for rows. The database runs it read-only. `$1`, `$2` in `sql` are `params`. Limits lower those of the
 * leaf: of rows, of bytes of the rows as JSON, of time.
 */
export const DatabaseQuery: RequestSchema<"DatabaseQuery", DatabaseStatementFields & DatabaseLimitFields> =
  requestSchema(
    "DatabaseQuery",
    { ...statement, ...limits },
  )

/** Schema of a request to run one statement that may change something, in a transaction of its own. */
export const DatabaseExecute: RequestSchema<"DatabaseExecute", DatabaseStatementFields & DatabaseLimitFields> =
  requestSchema(
    "DatabaseExecute",
    { ...statement, ...limits },
  )

const statements: Schema.$Array<Schema.Struct<DatabaseStatementFields>> = Schema.Array(Schema.Struct(statement)).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(1_000),
)

/** Schema of a request to run statements, 1 to 1,000, in one transaction: all of them, or none. */
export const DatabaseTransaction: RequestSchema<
  "DatabaseTransaction",
  { readonly statements: Schema.$Array<Schema.Struct<DatabaseStatementFields>> } & DatabaseLimitFields
> = requestSchema("DatabaseTransaction", { statements, ...limits })

/** Schema of all requests. */
export const DatabaseRequest: Schema.Union<
  readonly [typeof DatabaseQuery, typeof DatabaseExecute, typeof DatabaseTransaction]
> = Schema.Union([DatabaseQuery, DatabaseExecute, DatabaseTransaction])

/** A request of the Database branch. */
export type DatabaseRequest = typeof DatabaseRequest.Type

/**
 * Schema of an answer: `DatabaseRows`, some of the rows of a query; `DatabaseExecuted`, the result of a statement; or
 * `DatabaseCommitted`, the results of a transaction. `affectedRows` are those inserted, updated or deleted, `rows` those of
 * `RETURNING`.
 */
export const DatabaseEvent: Schema.Union<
  readonly [
    EventSchema<"DatabaseRows", Pick<DatabaseResultFields, "columns" | "rows">>,
    EventSchema<"DatabaseExecuted", DatabaseResultFields>,
    EventSchema<"DatabaseCommitted", { readonly results: Schema.$Array<Schema.Struct<DatabaseResultFields>> }>,
  ]
> = Schema.Union([
  eventSchema("DatabaseRows", { columns, rows }),
  eventSchema("DatabaseExecuted", result),
  eventSchema("DatabaseCommitted", { results: Schema.Array(Schema.Struct(result)) }),
])

/** An event of the Database branch. */
export type DatabaseEvent = typeof DatabaseEvent.Type

const databaseFaultKinds = [
  "InvalidRequest",
  "Syntax",
  "Constraint",
  "NotAllowed",
  "ReadOnly",
  "TooLarge",
  "Timeout",
  "Cancelled",
  "Unreachable",
  "Busy",
  "OutcomeUnknown",
  "Failed",
] as const

/**
 * Schema of the reasons of a failed request. `Syntax`: the statement is invalid, or names something that does not exist.
 * `TooLarge`: rows or bytes exceed a limit. `Busy`: another transaction blocked it and nothing was done, so it may be
 * retried. `OutcomeUnknown`: its changes may or may not be committed. After any other fault nothing was changed.
 */
export const DatabaseFaultKind: Schema.Literals<typeof databaseFaultKinds> = Schema.Literals(databaseFaultKinds)

/** The kind of a failure. */
export type DatabaseFaultKind = typeof DatabaseFaultKind.Type

const Base: Schema.Class<
  DatabaseFault,
  EventSchema<"DatabaseFault", {
    readonly faultKind: typeof DatabaseFaultKind
    readonly code: Schema.optionalKey<typeof Schema.String>
    readonly statement: Schema.optionalKey<typeof Schema.Int>
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<DatabaseFault>()("DatabaseFault", {
  correlationId: CommandId,
  faultKind: DatabaseFaultKind,
  code: Schema.optionalKey(Schema.String),
  statement: Schema.optionalKey(Schema.Int),
  message: Schema.String,
})

/**
 * A request that failed. `message` has the message of the database, `code` its SQLSTATE (`23505`) or SQLite's code
 * (`SQLITE_CONSTRAINT`); `statement` is the index of the statement of a transaction.
 */
export class DatabaseFault extends Base {}
