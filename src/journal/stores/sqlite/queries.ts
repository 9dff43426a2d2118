/**
 * The queries that a scan is made of. Each is a search in a key: none walks a table.
 *
 * @module
 */

export type Order = "forward" | "backward"

/** What a scan asks of each row. */
export interface Asked {
  /** The smaller positions first, or the larger. */
  readonly order: Order
  readonly correlation: boolean
  readonly kinds: boolean
}

/** The whole body; or only a short one, and how long it is; or none. */
export type BodyPart = "whole" | "short" | "none"

/** Bytes up to which a body is read before it is known whether it is wanted. */
export const shortBody = 8_192

const bodies: Readonly<Record<BodyPart, string>> = {
  whole: "body",
  // How long a body is stands before it: the pages that it fills are not read.
  short: `iif(octet_length(body) <= ${shortBody}, body, NULL), octet_length(body)`,
  none: "''",
}

const direction = (order: Order): string => order === "forward" ? "ASC" : "DESC"

const anyKind = "(SELECT value FROM json_each(?))"

/**
 * Rows from one position to another; bound are both (inclusive: else SQLite would look at the rows beside them), the
 * correlation, the kinds as JSON, the most rows.
 */
export const rangeQuery = ({ correlation, kinds, order }: Asked, body: BodyPart): string =>
  `SELECT position, time, correlation, kind, hash, ${bodies[body]} FROM entries
    WHERE position >= ? AND position <= ?${correlation ? " AND correlation = ?" : ""}${
    kinds ? ` AND kind IN ${anyKind}` : ""
  }
    ORDER BY position ${direction(order)} LIMIT ?`

const blockQuery = (table: string, key: string, order: Order): string =>
  `SELECT block FROM ${table} WHERE ${key} = ? AND block ${order === "forward" ? ">=" : "<="} ?
    ORDER BY block ${direction(order)} LIMIT 1`

/** The next block of a correlation; bound are its number, and the block from which on (itself included). */
export const correlationBlockQuery = (order: Order): string => blockQuery("correlation_blocks", "correlation", order)

/** The next block of a kind; bound are its number, and the block from which on (itself included). */
export const kindBlockQuery = (order: Order): string => blockQuery("kind_blocks", "kind", order)

export const removedQuery = "SELECT removed FROM meta"

export const headQuery = "SELECT position, hash FROM entries ORDER BY position DESC LIMIT 1"

export const bodyQuery = "SELECT body FROM entries WHERE position = ?"

export const generationQuery = "SELECT generation FROM meta"

/** What a transaction begins with; nothing while the journal is empty. */
export const beginQuery =
  "SELECT (SELECT generation FROM meta), position, hash FROM entries ORDER BY position DESC LIMIT 1"
