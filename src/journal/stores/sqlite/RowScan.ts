/**
 * Gathers the rows of one scan, until there are as many as were asked for.
 *
 * @module
 */
import { matches, type Position, type Row } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { spoilt } from "./corrupt.ts"
import type { Cells } from "./driver.ts"
import { bodyQuery, entriesQuery, type Order, type Terms, termsOf } from "./queries.ts"
import { isCorrupt } from "./sqliteError.ts"

/** Rows that are read at a time. */
const batch = 256

/** Cells of {@link entriesQuery} as a row; of a long body only the length is known. */
export const rowOf = (cells: Cells): Row => ({
  position: numberAt(cells, 0),
  time: numberAt(cells, 1),
  branch: textAt(cells, 2),
  correlationId: textAt(cells, 3),
  tag: textAt(cells, 4),
  version: numberAt(cells, 5),
  hash: textAt(cells, 6),
  body: cells[8] === null ? "" : textAt(cells, 8),
})

/** The body of a row, from the cells that may have left it out. */
export const bodyAt = (connection: Connection, cells: Cells): string => {
  if (cells[8] !== null) return textAt(cells, 8)
  const position = numberAt(cells, 0)
  try {
    return textAt(connection.row(bodyQuery, position) ?? [], 0)
  } catch (error) {
    throw isCorrupt(error) ? spoilt(position, error) : error
  }
}

/** What a scan has found. Everything here throws what SQLite says, or a `JournalError`. */
export class RowScan {
  readonly rows: Array<Row> = []
  /** There are as many as were asked for. */
  isFull = false
  readonly #connection: Connection
  readonly #scan: Scan
  readonly #order: Order
  readonly #bodies: boolean
  readonly #terms: Terms
  readonly #maxBytes: number
  #bytes = 0
  #isCareful = false

  constructor(connection: Connection, scan: Scan) {
    this.#connection = connection
    this.#scan = scan
    this.#order = scan.order ?? "forward"
    this.#bodies = scan.headersOnly !== true
    this.#terms = termsOf(scan.filter ?? {})
    this.#maxBytes = this.#bodies ? scan.maxBytes ?? Infinity : Infinity
  }

  /** Takes what is meant from one position to another, both included. */
  take(from: Position, to: Position): void {
    let low = from
    let high = to
    while (!this.isFull && low <= high) {
      const most = this.#isCareful ? 1 : Math.min(batch, this.#scan.limit - this.rows.length)
      const found = this.#read(low, high, most)
      if (found === undefined) continue
      for (const cells of found) {
        this.#add(cells)
        if (this.isFull) return
      }
      const last = found.at(-1)
      if (last === undefined || found.length < most) return
      if (this.#order === "forward") low = numberAt(last, 0) + 1
      else high = numberAt(last, 0) - 1
    }
  }

  /** Some rows; `undefined` when that is to be tried again. */
  #read(low: Position, high: Position, most: number): ReadonlyArray<Cells> | undefined {
    const { sql, values } = this.#isCareful ? termsOf({}) : this.#terms
    try {
      return this.#connection.rows(entriesQuery(this.#order, this.#bodies, sql), low, high, ...values, most)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      if (this.#isCareful) throw spoilt(this.#order === "forward" ? low : high, error)
      // One at a time: what cannot be read may lie behind what is wanted, and else it has a position.
      this.#isCareful = true
      return undefined
    }
  }

  #add(cells: Cells): void {
    const row = rowOf(cells)
    if (this.#isCareful && !matches(this.#scan.filter ?? {}, row)) return
    const fits = (bytes: number): boolean => this.rows.length === 0 || this.#bytes + bytes <= this.#maxBytes
    // A long body says how long it is before it is read.
    const isLong = cells[8] === null
    const body = isLong && !fits(numberAt(cells, 7)) ? undefined : bodyAt(this.#connection, cells)
    if (body === undefined || !fits(body.length)) {
      this.isFull = true
      return
    }
    this.#bytes += body.length
    this.rows.push(isLong ? { ...row, body } : row)
    this.isFull = this.rows.length >= this.#scan.limit
  }
}
