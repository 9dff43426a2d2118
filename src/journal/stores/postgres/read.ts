/**
 * Reading a journal through a connection, whichever it is.
 *
 * @module
 */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Head, Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { Scan, StoreSize } from "../../JournalStore.ts"
import { damaged, type Tried } from "./errors.ts"
import type { Names } from "./names.ts"
import { type Query, rowOf, scanQuery } from "./scan.ts"

/** Asks one statement. */
export type Ask = (query: Query) => Effect.Effect<PgConnection.Result, SqlError>

/** A number of an answer. */
export const numberOf = (answer: object | undefined, name: string): number | undefined => {
  const value: unknown = answer === undefined ? undefined : Reflect.get(answer, name)
  return typeof value === "number" ? value : undefined
}

/** The head of an answer that holds one. */
export const headOf = (answer: PgConnection.Result, tried: Tried): Effect.Effect<Head, JournalError> => {
  const row: object | undefined = answer.rows[0]
  const position = numberOf(row, "position")
  const hash: unknown = row === undefined ? undefined : Reflect.get(row, "hash")
  return position === undefined || typeof hash !== "string"
    ? Effect.fail(damaged(tried, "the row that says where it ends is not there"))
    : Effect.succeed({ position, hash })
}

/** Where the journal ends. */
export const readHead = (ask: Ask, { head }: Names, tried: Tried): Effect.Effect<Head, SqlError | JournalError> =>
  Effect.flatMap(
    ask({ sql: `SELECT position::float8, hash FROM ${head}`, params: [] }),
    (answer) => headOf(answer, tried),
  )

/** How large it is. Positions have no gaps, so that nothing has to be counted. */
export const readSize = (
  ask: Ask,
  { entry, head }: Names,
  tried: Tried,
): Effect.Effect<StoreSize, SqlError | JournalError> =>
  Effect.flatMap(
    ask({
      sql: `SELECT position::float8, hash, (SELECT coalesce(min(position), 0)::float8 FROM ${entry}) AS first,
        pg_total_relation_size($1::text::regclass)::float8 AS bytes FROM ${head}`,
      params: [entry],
    }),
    (answer) =>
      Effect.map(headOf(answer, tried), ({ position }) => {
        const first = numberOf(answer.rows[0], "first") ?? 0
        const bytes = numberOf(answer.rows[0], "bytes") ?? 0
        return { entries: first === 0 ? 0 : position - first + 1, bytes, first }
      }),
  )

/** Rows in order. */
export const readRows = (
  ask: Ask,
  names: Names,
  tried: Tried,
  scan: Scan,
): Effect.Effect<ReadonlyArray<Row>, SqlError | JournalError> => {
  const query = scanQuery(names, scan)
  if (query === undefined) return Effect.succeed([])
  return Effect.flatMap(ask(query), (answer) => {
    const rows: Array<Row> = []
    for (const columns of answer.rows) {
      const row = rowOf(columns)
      if (row === undefined) return Effect.fail(damaged(tried, "a row of it has lost a column"))
      rows.push(row)
    }
    return Effect.succeed(rows)
  })
}
