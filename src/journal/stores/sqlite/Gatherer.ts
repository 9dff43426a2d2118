/**
 * Gathers the rows of one scan, until there are as many as were asked for.
 *
 * @module
 */
import type { Position, Row } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import type { Connection } from "./Connection.ts"
import { spoilt } from "./corrupt.ts"
import type { Cells } from "./driver.ts"
import type { Names } from "./Names.ts"
import { type Order, segmentsQuery } from "./queries.ts"
import { isCorrupt } from "./sqliteError.ts"
import { StoredSegment } from "./StoredSegment.ts"

/** Segments that are read at a time. */
const batch = 32

/** What is asked of each entry. */
export interface Asked {
  /** The smaller positions first, or the larger. */
  readonly order: Order
  /** From this position on. */
  readonly from: Position
  /** To this position, inclusive. */
  readonly to: Position
  readonly correlation: number | undefined
  readonly kinds: ReadonlyArray<number> | undefined
}

/** What a scan has found. Everything here throws what SQLite says, or a `JournalError`. */
export class Gatherer {
  readonly rows: Array<Row> = []
  /** There are as many as were asked for. */
  isFull = false
  readonly #connection: Connection
  readonly #names: Names
  readonly #asked: Asked
  readonly #isForward: boolean
  readonly #correlation: string | undefined
  readonly #kinds: ReadonlySet<string> | undefined
  readonly #withBodies: boolean
  readonly #query: string
  readonly #limit: number
  readonly #maxBytes: number
  #bytes = 0
  #batch = batch

  constructor(connection: Connection, names: Names, scan: Scan, asked: Asked) {
    this.#connection = connection
    this.#names = names
    this.#asked = asked
    this.#isForward = asked.order === "forward"
    this.#correlation = asked.correlation === undefined ? undefined : String(asked.correlation)
    this.#kinds = asked.kinds === undefined ? undefined : new Set(asked.kinds.map(String))
    this.#withBodies = scan.headersOnly !== true
    this.#query = segmentsQuery(asked.order, this.#withBodies)
    this.#limit = scan.limit
    this.#maxBytes = this.#withBodies ? scan.maxBytes ?? Infinity : Infinity
  }

  /**
   * Takes what is asked for from one position to another, and of the segments that it meets also what lies behind, in
   * its order. Answers with the position from which to go on.
   */
  take(from: Position, to: Position): Position {
    let low = from
    let high = to
    while (!this.isFull && low <= high) {
      const most = Math.min(this.#batch, high - low + 1)
      const found = this.#read(low, high, most)
      if (found === undefined) continue
      for (const cells of found) {
        const segment = new StoredSegment(this.#connection, this.#names, cells)
        if (this.isFull || (this.#isForward ? segment.first > high : segment.last < low)) break
        this.#add(segment, low, high)
        if (this.#isForward) low = segment.last + 1
        else high = segment.first - 1
      }
      if (found.length < most) break
    }
    return this.#isForward ? Math.max(low, to + 1) : Math.min(high, from - 1)
  }

  /** What could not be read is read again one by one: it may lie behind what is wanted, and else it has a position. */
  #read(low: Position, high: Position, most: number): ReadonlyArray<Cells> | undefined {
    try {
      return this.#connection.rows(this.#query, low, high, most)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      if (most === 1) throw spoilt(this.#isForward ? low : high, error)
      this.#batch = 1
      return undefined
    }
  }

  /** Adds the entries of a segment that are meant; those before the position from which it looks were looked at. */
  #add(segment: StoredSegment, low: Position, high: Position): void {
    const first = Math.max(segment.first, this.#isForward ? low : this.#asked.from)
    const last = Math.min(segment.last, this.#isForward ? this.#asked.to : high)
    const count = last - first + 1
    for (let nth = 0; nth < count && !this.isFull; nth++) {
      const position = this.#isForward ? first + nth : last - nth
      if (segment.has(position, this.#correlation, this.#kinds)) this.#addRow(segment, position)
    }
  }

  #addRow(segment: StoredSegment, position: Position): void {
    const fits = (bytes: number): boolean => this.rows.length === 0 || this.#bytes + bytes <= this.#maxBytes
    // One that is alone says how long it is before it is read.
    const row = segment.count === 1 && !fits(segment.bytes) ? undefined : segment.row(position, this.#withBodies)
    if (row === undefined || !fits(row.body.length)) {
      this.isFull = true
      return
    }
    this.#bytes += row.body.length
    this.rows.push(row)
    this.isFull = this.rows.length >= this.#limit
  }
}
