/** Reads the head, the size and the rows of a scan from a SQLite connection, through its sparse indexes. */
import { type Filter, type Head, matches, noHash, type Position, type Row } from "../../Entry.ts"
import type { Scan, StoreSize } from "../../JournalStore.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { entryOnDamagedPage, isCorrupt } from "./errors.ts"
import type { Cell, Cells } from "../../../sql/nodeSqlite.ts"
import { prunedThrough } from "./schema.ts"
import { blockOf, blockSize, type Order, seekBlocks } from "./sparseIndex.ts"

const batchRows = 256

/** A longer body (in bytes) is read on its own, once it is known to be wanted. */
const maxInlineBytes = 4_096

/** A position that no journal reaches; the positions of its block are safe integers. */
const maxPosition: Position = 2 ** 52

export const headQuery = "SELECT position, hash FROM entries ORDER BY position DESC LIMIT 1"

export const bodyQuery = "SELECT body FROM entries WHERE position = ?"

export interface Condition {
  readonly sql: string
  readonly values: ReadonlyArray<Cell>
}

export const conditionOf = ({ branch, correlationId, tags }: Filter): Condition => {
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
 * Entries between two positions, both included; then the values of the condition and the limit are bound. A long body is
 * `NULL`, so that its pages are not read; its length comes before it.
 */
export const entriesQuery = (order: Order, withBodies: boolean, condition: string, isChecked = false): string =>
  `SELECT position, time, branch, correlation_id, tag, version, hash, octet_length(body),
      ${withBodies ? `iif(octet_length(body) <= ${maxInlineBytes}, body, NULL)` : "''"}${
    isChecked
      ? ", marks, octet_length(branch) + octet_length(correlation_id) + octet_length(tag) + octet_length(hash)"
      : ""
  }
    FROM entries WHERE position >= ? AND position <= ?${condition}
    ORDER BY position ${order === "forward" ? "ASC" : "DESC"} LIMIT ?`

const rowOf = (cells: Cells): Row => ({
  position: numberAt(cells, 0),
  time: numberAt(cells, 1),
  branch: textAt(cells, 2),
  correlationId: textAt(cells, 3),
  tag: textAt(cells, 4),
  version: numberAt(cells, 5),
  hash: textAt(cells, 6),
  body: cells[8] === null ? "" : textAt(cells, 8),
})

/** The body of {@link entriesQuery}'s cells; reads it if it was left out. */
const readBody = (connection: Connection, cells: Cells): string => {
  const position = numberAt(cells, 0)
  if (cells[8] !== null) return textAt(cells, 8)
  try {
    return textAt(connection.row(bodyQuery, position) ?? [], 0)
  } catch (error) {
    throw isCorrupt(error) ? entryOnDamagedPage(position, error) : error
  }
}

/** Called with each row of a scan, its cells, and the block in which the journal begins. */
export type VisitRow = (row: Row, cells: Cells, firstBlock: number) => void

class RowCollector {
  readonly rows: Array<Row> = []
  isFull = false
  readonly #connection: Connection
  readonly #filter: Filter
  readonly #limit: number
  readonly #maxBytes: number
  readonly #order: Order
  readonly #withBodies: boolean
  readonly #visit: VisitRow | undefined
  readonly #firstBlock: number
  #condition: Condition
  #bytes = 0
  /** After a damaged page, rows are read one by one and filtered here: the page may come after the wanted rows. */
  #isOneByOne = false

  constructor(
    connection: Connection,
    { filter = {}, headersOnly, maxRows, maxBytes, order = "forward" }: Scan,
    firstBlock: number,
    visit: VisitRow | undefined,
  ) {
    this.#connection = connection
    this.#firstBlock = firstBlock
    this.#visit = visit
    this.#filter = filter
    this.#condition = conditionOf(filter)
    this.#limit = maxRows
    this.#maxBytes = headersOnly === true ? Infinity : maxBytes ?? Infinity
    this.#order = order
    this.#withBodies = headersOnly !== true
  }

  /** Collects the matching rows between two positions, both included. */
  collect(from: Position, to: Position): void {
    let [low, high] = [from, to]
    while (!this.isFull && low <= high) {
      const { sql, values } = this.#condition
      const maxRows = this.#isOneByOne ? 1 : Math.min(batchRows, this.#limit - this.rows.length)
      const query = entriesQuery(this.#order, this.#withBodies, sql, this.#visit !== undefined)
      let found: ReadonlyArray<Cells>
      try {
        found = this.#connection.rows(query, low, high, ...values, maxRows)
      } catch (error) {
        if (!isCorrupt(error)) throw error
        if (this.#isOneByOne) throw entryOnDamagedPage(this.#order === "forward" ? low : high, error)
        this.#isOneByOne = true
        this.#condition = conditionOf({})
        continue
      }
      for (const cells of found) {
        this.#add(cells)
        if (this.isFull) return
      }
      const last = found.at(-1)
      if (last === undefined || found.length < maxRows) return
      if (this.#order === "forward") low = numberAt(last, 0) + 1
      else high = numberAt(last, 0) - 1
    }
  }

  #fits(bytes: number): boolean {
    return this.rows.length === 0 || this.#bytes + bytes <= this.#maxBytes
  }

  #add(cells: Cells): void {
    const row = rowOf(cells)
    if (this.#isOneByOne && !matches(this.#filter, row)) return
    const isLeftOut = cells[8] === null
    const body = isLeftOut && !this.#fits(numberAt(cells, 7)) ? undefined : readBody(this.#connection, cells)
    if (body === undefined || !this.#fits(body.length)) {
      this.isFull = true
      return
    }
    this.#bytes += body.length
    const whole = isLeftOut ? { ...row, body } : row
    this.#visit?.(whole, cells, this.#firstBlock)
    this.rows.push(whole)
    this.isFull = this.rows.length >= this.#limit
  }
}

export const readHead = (connection: Connection): Head => {
  const found = connection.row(headQuery)
  return found === undefined ? { position: 0, hash: noHash } : { position: numberAt(found, 0), hash: textAt(found, 1) }
}

/** Reads the size of the journal; its `bytes` are those of the database without the write-ahead log. */
export const readSize = (connection: Connection): StoreSize =>
  connection.read(() => {
    const { position } = readHead(connection)
    const pruned = prunedThrough(connection)
    return {
      // Positions have no gaps.
      entries: position - pruned,
      first: position === 0 ? 0 : pruned + 1,
      bytes: connection.number("PRAGMA page_count") * connection.number("PRAGMA page_size"),
    }
  })

export const scanRows = (connection: Connection, scan: Scan, visit?: VisitRow): ReadonlyArray<Row> =>
  scan.maxRows > 0 ? connection.read(() => scanSnapshot(connection, scan, visit)) : []

const scanSnapshot = (connection: Connection, scan: Scan, visit: VisitRow | undefined): ReadonlyArray<Row> => {
  const { after = 0, before = Infinity, filter = {}, order = "forward" } = scan
  const pruned = prunedThrough(connection)
  const from = Math.max(after, pruned) + 1
  // Does not read the head: if the last page is damaged, the others can still be read.
  const to = Math.min(before - 1, maxPosition)
  const firstBlock = blockOf(pruned + 1)
  const collector = new RowCollector(connection, scan, firstBlock, visit)
  const seek = seekBlocks(connection, order, filter, firstBlock)
  if (seek === undefined) {
    collector.collect(from, to)
    return collector.rows
  }
  let block: number | undefined = blockOf(order === "forward" ? from : to)
  for (;;) {
    block = from > to || collector.isFull ? undefined : seek(block)
    if (block === undefined || block < blockOf(from) || block > blockOf(to)) return collector.rows
    collector.collect(Math.max(from, block * blockSize), Math.min(to, (block + 1) * blockSize - 1))
    block += order === "forward" ? 1 : -1
  }
}
