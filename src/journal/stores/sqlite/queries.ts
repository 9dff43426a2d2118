/**
 * The queries that a scan is made of. Each is a search in a key: none walks a table.
 *
 * @module
 */
import type { Filter } from "../../Entry.ts"
import type { Cell } from "./driver.ts"
import { type IndexedColumn, indexes } from "./schema.ts"

export type Order = "forward" | "backward"

/** Bytes of a body up to which it is read before it is known whether it is wanted. */
const shortBody = 4_096

const direction = (order: Order): string => order === "forward" ? "ASC" : "DESC"

/** A filter as terms of a query, and what is bound to them. */
export interface Terms {
  readonly sql: string
  readonly values: ReadonlyArray<Cell>
}

/** What a filter means, of the rows between two positions. */
export const termsOf = ({ branch, correlationId, tags }: Filter): Terms => {
  const values: Array<Cell> = []
  let sql = ""
  const add = (term: string, value: string): void => {
    sql += ` AND ${term}`
    values.push(value)
  }
  if (correlationId !== undefined) add("correlation_id = ?", correlationId)
  if (branch !== undefined) add("branch = ?", branch)
  if (tags !== undefined) add("tag IN (SELECT value FROM json_each(?))", JSON.stringify(tags))
  return { sql, values }
}

/**
 * Entries from one position to another; then come the values of the terms, and how many at most. A long body is left
 * out: how long it is stands before it, and the pages that it fills are not read for that.
 */
export const entriesQuery = (order: Order, bodies: boolean, terms: string): string =>
  `SELECT position, time, branch, correlation_id, tag, version, hash, octet_length(body),
      ${bodies ? `iif(octet_length(body) <= ${shortBody}, body, NULL)` : "''"}
    FROM entries WHERE position >= ? AND position <= ?${terms} ORDER BY position ${direction(order)} LIMIT ?`

/** A body that was left out. */
export const bodyQuery = "SELECT body FROM entries WHERE position = ?"

/** The next row that is marked; bound are the value, and the position from which on (itself included). */
export const markQuery = (column: IndexedColumn, order: Order): string =>
  `SELECT position FROM entries WHERE ${column} = ? AND marks & ${indexes[column].bit}
    AND position ${order === "forward" ? ">=" : "<="} ? ORDER BY position ${direction(order)} LIMIT 1`

/** The last position that was removed. */
export const removedQuery = "SELECT removed FROM meta"

/** The last entry. */
export const headQuery = "SELECT position, hash FROM entries ORDER BY position DESC LIMIT 1"
