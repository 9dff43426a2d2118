/**
 * The queries that a scan is made of. Each is a search in a key: none walks a table.
 *
 * @module
 */

export type Order = "forward" | "backward"

/** What a scan asks of each row. */
export interface Asked {
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

const anyOf = "(SELECT value FROM json_each(?))"

/** Rows between two positions; bound are both (exclusive), the correlation, the kinds as JSON, the most rows. */
export const rangeQuery = ({ correlation, kinds, order }: Asked, body: BodyPart): string =>
  `SELECT position, time, correlation, kind, hash, ${bodies[body]} FROM entries
    WHERE position > ? AND position < ?${correlation ? " AND correlation = ?" : ""}${
    kinds ? ` AND kind IN ${anyOf}` : ""
  }
    ORDER BY position ${direction(order)} LIMIT ?`

const beyond = (order: Order): string => order === "forward" ? ">=" : "<="

/**
 * The next block from one on, itself included, in which there may be rows that are asked for; bound are the
 * correlation, the first block, the kinds as JSON. Without a filter there is nothing to ask.
 */
export const blockQuery = ({ correlation, kinds, order }: Asked): string => {
  const next = `block ${beyond(order)} ? ORDER BY block ${direction(order)} LIMIT 1`
  if (!correlation) {
    // By halves for each kind, and not all blocks of all kinds, sorted.
    return `SELECT ${order === "forward" ? "min" : "max"}((SELECT block FROM kind_blocks
      WHERE kind = kinds.value AND block ${beyond(order)} ?1 ORDER BY block ${direction(order)} LIMIT 1))
      FROM json_each(?2) AS kinds`
  }
  return kinds
    ? `SELECT block FROM correlation_blocks AS found WHERE correlation = ?1 AND block ${beyond(order)} ?2
      AND EXISTS (SELECT 1 FROM kind_blocks
        WHERE kind IN (SELECT value FROM json_each(?3)) AND kind_blocks.block = found.block)
      ORDER BY block ${direction(order)} LIMIT 1`
    : `SELECT block FROM correlation_blocks WHERE correlation = ? AND ${next}`
}

export const removedQuery = "SELECT removed FROM meta"

export const headQuery = "SELECT position, hash FROM entries ORDER BY position DESC LIMIT 1"

export const bodyQuery = "SELECT body FROM entries WHERE position = ?"

export const generationQuery = "SELECT generation FROM meta"

/** What a transaction begins with; nothing while the journal is empty. */
export const beginQuery =
  "SELECT (SELECT generation FROM meta), position, hash FROM entries ORDER BY position DESC LIMIT 1"
