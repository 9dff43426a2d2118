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
  readonly #values: Array<string> = []
  readonly #limit: number
  readonly #maxBytes: number
  #bytes = 0
  #isCareful = false

  constructor(connection: Connection, names: Names, scan: Scan, asked: Asked) {
    this.#connection = connection
    this.#names = names
    this.#asked = asked
    this.#isForward = asked.order === "forward"
    this.#correlation = asked.correlation === undefined ? undefined : String(asked.correlation)
    this.#kinds = asked.kinds === undefined ? undefined : new Set(asked.kinds.map(String))
    this.#withBodies = scan.headersOnly !== true
    const { correlation, kinds, order } = asked
    this.#query = segmentsQuery({
      order,
      bodies: this.#withBodies,
      correlation: correlation !== undefined,
      kinds: kinds === undefined ? "all" : kinds.length === 1 ? "one" : "several",
    })
    if (correlation !== undefined) this.#values.push(String(correlation))
    if (kinds !== undefined) {
      this.#values.push(kinds.length === 1 ? String(kinds[0]) : JSON.stringify(kinds.map(String)))
    }
    this.#limit = scan.limit
    this.#maxBytes = this.#withBodies ? scan.maxBytes ?? Infinity : Infinity
  }

  /**
   * Takes what is asked for from one position to another, and of the segments that it meets also what lies behind, in
   * its order. Answers with the position from which to go on.
   */
  take(from: Position, to: Position): Position {
    return this.#isForward ? this.#forward(from, to) : this.#backward(from, to)
  }

  #forward(from: Position, to: Position): Position {
    let low = from
    while (!this.isFull && low <= to) {
      const most = this.#most(low, to)
      const found = this.#read(low, to, most)
      for (const cells of found ?? []) {
        const segment = new StoredSegment(this.#connection, this.#names, cells)
        if (segment.first > to) return to + 1
        this.#add(segment, low, this.#asked.to)
        if (this.isFull) return low
        low = segment.last + 1
      }
      if (found !== undefined && found.length < most) break
    }
    return Math.max(low, to + 1)
  }

  #backward(from: Position, to: Position): Position {
    let high = to
    while (!this.isFull && high >= from) {
      const most = this.#most(from, high)
      const found = this.#read(from, high, most)
      for (const cells of found ?? []) {
        const segment = new StoredSegment(this.#connection, this.#names, cells)
        this.#add(segment, this.#asked.from, high)
        if (this.isFull) return high
        // One that lies behind: where it was looked for there is a gap.
        high = segment.first > high ? high - 1 : segment.first - 1
      }
      if (found !== undefined && found.length < most) break
    }
    return Math.min(high, from - 1)
  }

  /** Segments that are read at once: as many as there are positions, at most. */
  #most(low: Position, high: Position): number {
    return this.#isCareful ? 1 : Math.min(batch, high - low + 1)
  }

  /** Segments with entries between two positions; `undefined` when that is to be tried again. */
  #read(low: Position, high: Position, most: number): ReadonlyArray<Cells> | undefined {
    if (this.#isCareful) return this.#readOne(this.#isForward ? low : high)
    try {
      return this.#connection.rows(this.#query, low, high, ...this.#values, most)
    } catch (error) {
      if (!isCorrupt(error)) throw error
      this.#isCareful = true
      return undefined
    }
  }

  /** After something could not be read: it may lie behind what is wanted, and else it has a position. */
  #readOne(position: Position): ReadonlyArray<Cells> {
    const { order } = this.#asked
    const query = segmentsQuery({ order, bodies: this.#withBodies, correlation: false, kinds: "all" })
    try {
      return this.#connection.rows(query, position, position, 1)
    } catch (error) {
      throw isCorrupt(error) ? spoilt(position, error) : error
    }
  }

  /** Adds the entries of a segment that are meant, from one position to another. */
  #add(segment: StoredSegment, low: Position, high: Position): void {
    const first = Math.max(segment.first, low)
    const last = Math.min(segment.last, high)
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
