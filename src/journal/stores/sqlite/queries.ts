/**
 * The queries that a scan is made of. Each is a search in a key: none walks a table.
 *
 * @module
 */
import { mostEntries } from "./segmentText.ts"

export type Order = "forward" | "backward"

/** Bytes of bodies up to which a segment is read as a whole, before it is known whether anything of it is wanted. */
const shortText = 4_096

const direction = (order: Order): string => order === "forward" ? "ASC" : "DESC"

/** The last segment, going backward, that has entries up to a position. */
const lastSegment = "ifnull((SELECT last FROM segments WHERE last >= ?2 ORDER BY last LIMIT 1), ?2)"

/**
 * Segments with entries from one position (?1) to another (?2), and perhaps one more; at most so many (?3). Of a short
 * one everything is read at once; of another what its hashes and bodies say is asked for when it is wanted. How long
 * the bodies are stands before them: the pages that they fill are not read for it.
 */
export const segmentsQuery = (order: Order, bodies: boolean): string =>
  `SELECT last, count, time, correlations, kinds, hash, octet_length(bodies),
      iif(octet_length(bodies) <= ${shortText}, hashes, NULL),
      ${bodies ? `iif(octet_length(bodies) <= ${shortText}, bodies, NULL)` : "NULL"}
    FROM segments
    WHERE last >= ?1 AND last <= ${order === "forward" ? `?2 + ${mostEntries - 1}` : lastSegment}
    ORDER BY last ${direction(order)} LIMIT ?3`

/** What was left out of one; bound is its last position. */
export const contentsQuery = (bodies: boolean): string =>
  `SELECT hashes, ${bodies ? "bodies" : "NULL"} FROM segments WHERE last = ?`

/** The segment in which a position is, or the next. */
export const segmentQuery =
  "SELECT last, count, time, correlations, kinds, hash, hashes, bodies FROM segments WHERE last >= ? ORDER BY last LIMIT 1"

const blockQuery = (table: string, key: string, order: Order): string =>
  `SELECT block FROM ${table} WHERE ${key} = ? AND block ${order === "forward" ? ">=" : "<="} ?
    ORDER BY block ${direction(order)} LIMIT 1`

/** The next block of a correlation; bound are its number, and the block from which on (itself included). */
export const correlationBlockQuery = (order: Order): string => blockQuery("correlation_blocks", "correlation", order)

/** The next block of a kind; bound are its number, and the block from which on (itself included). */
export const kindBlockQuery = (order: Order): string => blockQuery("kind_blocks", "kind", order)

export const removedQuery = "SELECT removed FROM meta"

export const headQuery = "SELECT last, hash FROM segments ORDER BY last DESC LIMIT 1"

export const generationQuery = "SELECT generation FROM meta"

/** What a transaction begins with; nothing while the journal is empty. */
export const beginQuery = "SELECT (SELECT generation FROM meta), last, hash FROM segments ORDER BY last DESC LIMIT 1"
