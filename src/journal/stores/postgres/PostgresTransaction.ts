/** Collects the rows of one PostgreSQL transaction and sends them in batches; runs its scans, removals and strips. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Head, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { StoreTransaction } from "../../JournalStore.ts"
import type { Query } from "./connect.ts"
import { isTransient } from "../../../sql/postgresErrors.ts"
import { type Operation, toJournalError } from "./errors.ts"
import { numberIn, scanRows } from "./scan.ts"
import type { TableNames } from "./tableNames.ts"
import type { WriteConnection } from "./WriteConnection.ts"

/**
 * Maximum number of entries that one statement removes or strips, so that it finishes within the time limit for an
 * answer.
 */
const maxRemoved = 100_000
const maxStripped = 10_000

/** Maximum number of rows, and of characters of their bodies, in one insert: each is in memory about four times. */
const maxInsertRows = 10_000
const maxInsertLength = 16 * 1024 * 1024

/** Inserts rows and moves the head to the last of them; the commit notifies the channel. */
const insertQuery = (
  { channel, entry, head }: TableNames,
  rows: ReadonlyArray<Row>,
  last: Row,
  notification: string,
): Query => ({
  sql: `WITH added AS (
      INSERT INTO ${entry} (position, time, version, branch, correlation_id, tag, hash, body)
      SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    ), moved AS (
      UPDATE ${head} SET position = $9, hash = $10
    ) SELECT pg_notify($11, $12)`,
  params: [
    rows.map((row) => BigInt(row.position)),
    rows.map((row) => BigInt(row.time)),
    rows.map((row) => BigInt(row.version)),
    rows.map((row) => row.branch),
    rows.map((row) => row.correlationId),
    rows.map((row) => row.tag),
    rows.map((row) => row.hash),
    rows.map((row) => row.body),
    PgTypes.int8(BigInt(last.position)),
    PgTypes.text(last.hash),
    PgTypes.text(channel),
    // Equal notifications of one transaction are sent once.
    PgTypes.text(notification),
  ],
})

export const insertQueries = (
  names: TableNames,
  rows: ReadonlyArray<Row>,
  notification: string,
): ReadonlyArray<Query> => {
  const queries: Array<Query> = []
  let batch: Array<Row> = []
  let length = 0
  const finish = (): void => {
    const last = batch.at(-1)
    if (last !== undefined) queries.push(insertQuery(names, batch, last, notification))
    batch = []
    length = 0
  }
  for (const row of rows) {
    if (batch.length >= maxInsertRows || (batch.length > 0 && length + row.body.length > maxInsertLength)) finish()
    batch.push(row)
    length += row.body.length
  }
  finish()
  return queries
}

/** Whether PostgreSQL can hold a row: it has no zero byte and no lone surrogate. */
const isStorable = (row: Row): boolean =>
  [row.position, row.time, row.version].every(Number.isSafeInteger) &&
  ![row.branch, row.correlationId, row.tag, row.hash, row.body].some((text) =>
    text.includes("\0") || !text.isWellFormed()
  )

export interface TransactionContext {
  readonly connection: WriteConnection
  readonly names: TableNames
  readonly operation: Operation
  readonly notification: string
}

/**
 * A transaction that has begun. Inserted rows are collected here until a statement has to see them, at the latest for the
 * commit, with which they are sent.
 */
export class PostgresTransaction implements StoreTransaction {
  readonly head: Head
  readonly #context: TransactionContext
  #last: Head
  #pending: Array<Row> = []
  #transientError: SqlError | undefined
  #hasWritten = false

  constructor(context: TransactionContext, head: Head) {
    this.#context = context
    this.head = head
    this.#last = head
  }

  /** An error after which the transaction has to begin again, even if its user handles it. */
  get transientError(): SqlError | undefined {
    return this.#transientError
  }

  get last(): Head {
    return this.#last
  }

  get hasWrites(): boolean {
    return this.#hasWritten || this.#pending.length > 0
  }

  readonly scan: StoreTransaction["scan"] = (scan) => {
    const { connection, names, operation } = this.#context
    return this.#step(Effect.andThen(
      this.#flush,
      scanRows((query) => connection.run(query), names, operation, scan),
    ))
  }

  readonly insert: StoreTransaction["insert"] = (rows) =>
    Effect.suspend(() => {
      for (const row of rows) {
        if (row.position !== this.#last.position + 1) return this.#reject("position", row)
        if (!isStorable(row)) return this.#reject("body", row)
        this.#last = { position: row.position, hash: row.hash }
        this.#pending.push(row)
      }
      return Effect.void
    })

  readonly removeThrough: StoreTransaction["removeThrough"] = (position) =>
    this.#step(Effect.gen({ self: this }, function* () {
      yield* this.#flush
      const { connection, names: { entry } } = this.#context
      const found = yield* connection.run({ sql: `SELECT min(position)::float8 AS first FROM ${entry}`, params: [] })
      const last = Math.min(position, this.#last.position)
      const first = numberIn(found.rows[0], "first") ?? last
      this.#hasWritten = true
      for (let through = first - 1; through < last;) {
        through = Math.min(through + maxRemoved, last)
        yield* connection.run({
          sql: `DELETE FROM ${entry} WHERE position <= $1`,
          params: [PgTypes.int8(BigInt(through))],
        })
      }
    }))

  readonly strip: StoreTransaction["strip"] = (positions) =>
    this.#step(Effect.gen({ self: this }, function* () {
      yield* this.#flush
      const { connection, names: { entry } } = this.#context
      this.#hasWritten = true
      for (let index = 0; index < positions.length; index += maxStripped) {
        yield* connection.run({
          sql: `UPDATE ${entry} SET body = '' WHERE position = ANY($1::int8[])`,
          params: [positions.slice(index, index + maxStripped).map(BigInt)],
        })
      }
    }))

  takePending(): ReadonlyArray<Query> {
    const rows = this.#pending
    this.#pending = []
    if (rows.length > 0) this.#hasWritten = true
    return insertQueries(this.#context.names, rows, this.#context.notification)
  }

  readonly #flush: Effect.Effect<void, SqlError> = Effect.suspend(() => {
    const queries = this.takePending()
    return queries.length === 0 ? Effect.void : Effect.asVoid(this.#context.connection.run(...queries))
  })

  #step<A>(effect: Effect.Effect<A, SqlError | JournalError>): Effect.Effect<A, JournalError> {
    return Effect.catchTag(effect, "SqlError", (error) => {
      if (isTransient(error)) this.#transientError ??= error
      return Effect.fail(toJournalError(error, this.#context.operation))
    })
  }

  #reject(field: "position" | "body", { position }: Row): Effect.Effect<never, JournalError> {
    const what = field === "position"
      ? `does not follow entry ${this.#last.position}`
      : "has a string that PostgreSQL cannot hold"
    return Effect.fail(JournalError.because(
      { _tag: "Invalid", field },
      `journal: ${this.#context.operation.tried}: entry ${position} ${what}`,
    ))
  }
}
