/**
 * Reading rows: the statement for a scan, and rows from what it answers.
 *
 * @module
 */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import type { Row } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import type { Names } from "./names.ts"

/** A statement and its parameters. */
export interface Query {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** Whether the server is to know it by a name the next time. Default: `true`. */
  readonly prepare?: boolean
}

/** Beyond so many tags the journal is looked through: a branch has fewer. */
const maxTagScans = 32

/** A whole number that PostgreSQL and this program both hold exactly. */
const whole = (value: number): PgTypes.Parameter =>
  PgTypes.int8(BigInt(Math.trunc(Math.min(Math.max(value, -1), Number.MAX_SAFE_INTEGER))))

// `float8` is exact up to 2^53 and arrives as a number.
const columnsOf = (headersOnly: boolean): string =>
  `page.position::float8, page.time::float8, page.version::float8, branch, correlation_id, tag, hash, ${
    headersOnly ? "''::text AS body" : "body"
  }`

/** The statement for a scan; `undefined` when it can find nothing. */
export const scanQuery = ({ entry }: Names, scan: Scan): Query | undefined => {
  const { after = 0, before, filter = {}, headersOnly = false, limit, maxBytes = Infinity, order = "forward" } = scan
  const tags = filter.tags === undefined ? undefined : [...new Set(filter.tags)]
  if (!(limit >= 1) || tags?.length === 0) return undefined

  const params: Array<unknown> = []
  const parameter = (value: unknown): string => `$${params.push(value)}`
  const direction = order === "backward" ? "DESC" : "ASC"
  const first = `ORDER BY position ${direction} LIMIT ${parameter(whole(limit))}`
  const conditions = [`position > ${parameter(whole(after))}`]
  if (before !== undefined && before !== Infinity) conditions.push(`position < ${parameter(whole(before))}`)
  const { branch, correlationId } = filter
  if (correlationId !== undefined) conditions.push(`correlation_id = ${parameter(PgTypes.text(correlationId))}`)
  if (branch !== undefined) {
    // The rarest of the conditions is the one to go by, and PostgreSQL can only guess. An index serves `=` alone.
    const equals = correlationId === undefined && tags === undefined ? "=" : "IS NOT DISTINCT FROM"
    conditions.push(`branch ${equals} ${parameter(PgTypes.text(branch))}`)
  }
  const select = (...more: ReadonlyArray<string>): string =>
    `SELECT * FROM ${entry} WHERE ${[...conditions, ...more].join(" AND ")} ${first}`

  const selectTagged = (wanted: ReadonlyArray<string>): string => {
    // The entries of one correlation id are few: they are looked through.
    if (correlationId !== undefined || wanted.length > maxTagScans) {
      return select(`array_position(${parameter(wanted)}, tag) IS NOT NULL`)
    }
    // No index gives the entries of several tags in order: the first few of each are merged.
    const each = wanted.map((tag) => select(`tag = ${parameter(PgTypes.text(tag))}`))
    return each.length === 1 ? each.join() : `SELECT * FROM ((${each.join(") UNION ALL (")})) merged ${first}`
  }

  const rows = tags === undefined ? select() : selectTagged(tags)
  const sorted = `ORDER BY page.position ${direction}`
  const columns = columnsOf(headersOnly)
  if (headersOnly || maxBytes >= Number.MAX_SAFE_INTEGER) {
    return { sql: `SELECT ${columns} FROM (${rows}) page ${sorted}`, params }
  }
  const counted = `SELECT *, sum(octet_length(body)) OVER (ORDER BY position ${direction} ROWS UNBOUNDED PRECEDING)
    AS total FROM (${rows}) page`
  // The second condition lets in a first row that is too large alone.
  const sql = `SELECT ${columns} FROM (${counted}) page
    WHERE total <= ${parameter(whole(maxBytes))} OR total = octet_length(body) ${sorted}`
  return { sql, params }
}

/** What a scan answers with for one row. */
interface Columns {
  readonly position: number
  readonly time: number
  readonly version: number
  readonly branch: string
  readonly correlation_id: string
  readonly tag: string
  readonly hash: string
  readonly body: string
}

const isColumns = (row: object): row is Columns =>
  "position" in row && typeof row.position === "number" &&
  "time" in row && typeof row.time === "number" &&
  "version" in row && typeof row.version === "number" &&
  "branch" in row && typeof row.branch === "string" &&
  "correlation_id" in row && typeof row.correlation_id === "string" &&
  "tag" in row && typeof row.tag === "string" &&
  "hash" in row && typeof row.hash === "string" &&
  "body" in row && typeof row.body === "string"

/** The row of what was answered; `undefined` when it is not one: somebody changed the table. */
export const rowOf = (answer: object): Row | undefined => {
  if (!isColumns(answer)) return undefined
  const { body, branch, correlation_id: correlationId, hash, position, tag, time, version } = answer
  return { position, time, branch, correlationId, tag, version, hash, body }
}
