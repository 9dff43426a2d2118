/**
 * The queries that a scan is made of. Each is a search in a key: none walks a table.
 *
 * @module
 */
export type Order = "forward" | "backward"

/** Bytes of bodies up to which a segment is read as a whole, before it is known whether anything of it is wanted. */
const shortText = 4_096

const direction = (order: Order): string => order === "forward" ? "ASC" : "DESC"

/** The segment in which the last position is, or the one behind it. */
const lastSegment = "ifnull((SELECT last FROM segments WHERE last >= ?2 ORDER BY last LIMIT 1), ?2)"

/** What a scan asks of segments. */
export interface Wanted {
  readonly order: Order
  readonly bodies: boolean
  readonly correlation: boolean
  readonly kinds: "all" | "one" | "several"
}

/** A segment of which all entries have the same number, and not one that is wanted, is left out. */
const only = (column: string, wanted: string): string => ` AND (instr(${column}, ',') > 0 OR ${column} ${wanted})`

const kindsOnly: Readonly<Record<Wanted["kinds"], string>> = {
  all: "",
  one: only("kinds", "= ?"),
  several: only("kinds", "IN (SELECT value FROM json_each(?))"),
}

/**
 * Segments with entries from one position (?1) to another (?2), and perhaps one more; then come the number of the
 * correlation and those of the kinds, as texts, if there are any; at most as many as the last says. Of a short segment
 * everything is read at once; of another what its hashes and bodies say is asked for when it is wanted. How long the
 * bodies are stands before them: the pages that they fill are not read for it.
 */
export const segmentsQuery = ({ bodies, correlation, kinds, order }: Wanted): string =>
  `SELECT last, count, time, correlations, kinds, hash, octet_length(bodies),
      iif(octet_length(bodies) <= ${shortText}, hashes, NULL),
      ${bodies ? `iif(octet_length(bodies) <= ${shortText}, bodies, NULL)` : "NULL"}
    FROM segments
    WHERE last >= ?1 AND last <= ${lastSegment}${correlation ? only("correlations", "= ?") : ""}${kindsOnly[kinds]}
    ORDER BY last ${direction(order)} LIMIT ?`

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

/** What a scan begins with. */
export const stateQuery = "SELECT removed, generation FROM meta"

export const headQuery = "SELECT last, hash FROM segments ORDER BY last DESC LIMIT 1"

export const generationQuery = "SELECT generation FROM meta"

/** What a transaction begins with; nothing while the journal is empty. */
export const beginQuery = "SELECT (SELECT generation FROM meta), last, hash FROM segments ORDER BY last DESC LIMIT 1"
