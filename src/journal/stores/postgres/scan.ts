/** Reads the head, the size and the rows of a scan from the tables of a PostgreSQL journal. */
import type * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"
import type { Head, Position, Row } from "../../Entry.ts"
import type { JournalError } from "../../JournalError.ts"
import type { Scan, StoreSize } from "../../JournalStore.ts"
import type { Query, RunQuery } from "./connect.ts"
import { codeOf } from "../../../sql/postgresErrors.ts"
import { corruptJournal, isDamage, type Operation } from "./errors.ts"
import type { TableNames } from "./tableNames.ts"

/** With more tags than this, rows are filtered one by one; a branch has fewer. */
const maxMergedTags = 32

const damageSearchRows = 512

/** An integer that PostgreSQL and JavaScript both hold exactly. */
const toBigint = (value: number): PgTypes.Parameter =>
  PgTypes.int8(BigInt(Math.trunc(Math.min(Math.max(value, -1), Number.MAX_SAFE_INTEGER))))

// `float8` is exact up to 2^53 and arrives as a number.
const columnsOf = (headersOnly: boolean): string =>
  `page.position::float8, page.time::float8, page.version::float8, branch, correlation_id, tag, hash, ${
    headersOnly ? "''::text AS body" : "body"
  }`

/** The statement for a scan; `undefined` if no row can match. */
export const scanQuery = ({ entry }: TableNames, scan: Scan): Query | undefined => {
  const { after = 0, before, filter = {}, headersOnly = false, maxRows, maxBytes = Infinity, order = "forward" } = scan
  const { branch, correlationId } = filter
  const tags = filter.tags === undefined ? undefined : [...new Set(filter.tags)]
  if (!(maxRows >= 1) || tags?.length === 0) return undefined

  const params: Array<unknown> = []
  const parameter = (value: unknown): string => `$${params.push(value)}`
  const direction = order === "backward" ? "DESC" : "ASC"
  const first = `ORDER BY position ${direction} LIMIT ${parameter(toBigint(maxRows))}`
  const conditions = [`position > ${parameter(toBigint(after))}`]
  if (before !== undefined && before !== Infinity) conditions.push(`position < ${parameter(toBigint(before))}`)
  if (correlationId !== undefined) conditions.push(`correlation_id = ${parameter(PgTypes.text(correlationId))}`)
  if (branch !== undefined) {
    // An index serves `=` alone, so this keeps PostgreSQL from choosing the index of the branch, which is rarely
    // selective.
    const equals = correlationId === undefined && tags === undefined ? "=" : "IS NOT DISTINCT FROM"
    conditions.push(`branch ${equals} ${parameter(PgTypes.text(branch))}`)
  }
  const select = (...more: ReadonlyArray<string>): string =>
    `SELECT * FROM ${entry} WHERE ${[...conditions, ...more].join(" AND ")} ${first}`

  const selectTagged = (wanted: ReadonlyArray<string>): string => {
    // A correlation id has few entries, which are filtered one by one.
    if (correlationId !== undefined || wanted.length > maxMergedTags) {
      return select(`array_position(${parameter(wanted)}, tag) IS NOT NULL`)
    }
    // No index has the entries of several tags in order, so the first entries of each tag are merged.
    const each = wanted.map((tag) => select(`tag = ${parameter(PgTypes.text(tag))}`))
    return each.length === 1 ? each.join() : `SELECT * FROM ((${each.join(") UNION ALL (")})) merged ${first}`
  }

  const rows = tags === undefined ? select() : selectTagged(tags)
  const sorted = `ORDER BY page.position ${direction}`
  const columns = columnsOf(headersOnly)
  if (headersOnly || maxBytes >= Number.MAX_SAFE_INTEGER) {
    return { sql: `SELECT ${columns} FROM (${rows}) page ${sorted}`, params }
  }
  const summed = `SELECT *, sum(octet_length(body)) OVER (ORDER BY position ${direction} ROWS UNBOUNDED PRECEDING)
    AS total FROM (${rows}) page`
  // The second condition admits a first row that is larger than the limit.
  const sql = `SELECT ${columns} FROM (${summed}) page
    WHERE total <= ${parameter(toBigint(maxBytes))} OR total = octet_length(body) ${sorted}`
  return { sql, params }
}

type Columns = Readonly<Record<string, unknown>>

export const numberIn = (columns: Columns | undefined, name: string): number | undefined => {
  const value = columns?.[name]
  return typeof value === "number" ? value : undefined
}

/** The row of a result; `undefined` if it lacks a column, because the table was changed. */
const decodeRow = (columns: Columns): Row | undefined => {
  const { body, branch, correlation_id: correlationId, hash, position, tag, time, version } = columns
  if (typeof position !== "number" || typeof time !== "number" || typeof version !== "number") return undefined
  if (typeof branch !== "string" || typeof correlationId !== "string" || typeof tag !== "string") return undefined
  if (typeof hash !== "string" || typeof body !== "string") return undefined
  return { position, time, branch, correlationId, tag, version, hash, body }
}

export const decodeHead = (result: PgConnection.Result, operation: Operation): Effect.Effect<Head, JournalError> => {
  const position = numberIn(result.rows[0], "position")
  const hash = result.rows[0]?.["hash"]
  return position === undefined || typeof hash !== "string"
    ? Effect.fail(corruptJournal(operation, "the row with its last position is missing"))
    : Effect.succeed({ position, hash })
}

export const readHead = (
  run: RunQuery,
  { head }: TableNames,
  operation: Operation,
): Effect.Effect<Head, SqlError | JournalError> =>
  Effect.flatMap(
    run({ sql: `SELECT position::float8, hash FROM ${head}`, params: [] }),
    (result) => decodeHead(result, operation),
  )

/** Reads the size of the journal. Positions have no gaps, so no entries are counted. */
export const readSize = (
  run: RunQuery,
  { entry, head }: TableNames,
  operation: Operation,
): Effect.Effect<StoreSize, SqlError | JournalError> =>
  Effect.gen(function* () {
    const result = yield* run({
      sql: `SELECT position::float8, hash, (SELECT coalesce(min(position), 0)::float8 FROM ${entry}) AS first,
        pg_total_relation_size($1::text::regclass)::float8 AS bytes FROM ${head}`,
      params: [entry],
    })
    const { position } = yield* decodeHead(result, operation)
    const first = numberIn(result.rows[0], "first") ?? 0
    return {
      entries: first === 0 ? 0 : position - first + 1,
      bytes: numberIn(result.rows[0], "bytes") ?? 0,
      first,
    }
  })

export const scanRows = (
  run: RunQuery,
  names: TableNames,
  operation: Operation,
  scan: Scan,
): Effect.Effect<ReadonlyArray<Row>, SqlError | JournalError> => {
  const query = scanQuery(names, scan)
  if (query === undefined) return Effect.succeed([])
  return Effect.flatMap(run(query), (result) => {
    const rows: Array<Row> = []
    for (const found of result.rows) {
      const row = decodeRow(found)
      if (row === undefined) return Effect.fail(corruptJournal(operation, "a row lacks a column"))
      rows.push(row)
    }
    return Effect.succeed(rows)
  })
}

type ReadScan = (scan: Scan) => Effect.Effect<ReadonlyArray<Row>, SqlError | JournalError>

/** Finds the first position that cannot be read, in the order of a scan: by pages, then by ever smaller parts of one. */
const findDamage = (read: ReadScan, scan: Scan): Effect.Effect<Position | undefined, SqlError | JournalError> =>
  Effect.gen(function* () {
    const isBackward = scan.order === "backward"
    let { after = 0, before = Infinity } = scan
    let maxRows = damageSearchRows
    for (;;) {
      const page = yield* Effect.result(read({ ...scan, after, before, filter: undefined, maxRows }))
      if (Result.isSuccess(page)) {
        const last = page.success.at(-1)
        if (last === undefined) return undefined
        if (isBackward) before = last.position
        else after = last.position
      } else if (!isDamage(page.failure)) return yield* Effect.fail(page.failure)
      else if (maxRows === 1) return isBackward ? before - 1 : after + 1
      else maxRows = Math.ceil(maxRows / 2)
    }
  })

/** Reads a scan; if the server cannot read a row, the error names the first such position. */
export const scanLocatingDamage = (
  read: ReadScan,
  operation: Operation,
  scan: Scan,
): Effect.Effect<ReadonlyArray<Row>, SqlError | JournalError> =>
  Effect.catchIf(read(scan), isDamage, (error) =>
    Effect.flatMap(findDamage(read, scan), (position) => {
      const code = codeOf(error) ?? ""
      const place = position === undefined ? "a page of it" : `entry ${position}`
      return Effect.fail(corruptJournal(operation, `the server cannot read ${place} (${code})`, position, code))
    }))
