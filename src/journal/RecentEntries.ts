/**
 * What this process has appended last: those who follow get it from here, each entry read and decoded once for all.
 *
 * @module
 */
import { decodeRow } from "./entryCodec.ts"
import type { Entry, Position, Row } from "./Entry.ts"

/** Most entries, and characters of body, that are held. */
const maxEntries = 1_024
const maxLength = 4 * 1024 * 1024

/** The newest entries, without a gap. */
export class RecentEntries {
  #rows: Array<Row> = []
  readonly #entries = new Map<Position, Entry>()
  #length = 0

  /** The position of the newest; 0 when there is none. */
  get last(): Position {
    return this.#rows.at(-1)?.position ?? 0
  }

  /** Takes rows that were committed. */
  add(rows: ReadonlyArray<Row>): void {
    const [first] = rows
    if (first === undefined) return
    // Somebody else has written in between.
    if (first.position !== this.last + 1) this.clear()
    for (const row of rows) {
      this.#rows.push(row)
      this.#length += row.body.length
    }
    if (this.#rows.length > maxEntries || this.#length > maxLength) this.#shorten()
  }

  /** To half of what it may be, so that the cost is spread. */
  #shorten(): void {
    let from = 0
    while (
      from < this.#rows.length && (this.#rows.length - from > maxEntries / 2 || this.#length > maxLength / 2)
    ) {
      const row = this.#rows[from++]
      if (row === undefined) break
      this.#length -= row.body.length
      this.#entries.delete(row.position)
    }
    this.#rows = this.#rows.slice(from)
  }

  clear(): void {
    this.#rows = []
    this.#entries.clear()
    this.#length = 0
  }

  /** The rows after a position, if all of them are here; `undefined` when they are not. */
  after(position: Position): ReadonlyArray<Row> | undefined {
    const first = this.#rows[0]
    if (first === undefined || position < first.position - 1 || position >= this.last) return undefined
    return this.#rows.slice(position + 1 - first.position)
  }

  /** The entry of a row, decoded once. */
  entryOf(row: Row): Entry {
    const known = this.#entries.get(row.position)
    if (known !== undefined) return known
    const entry = decodeRow(row)
    this.#entries.set(row.position, entry)
    return entry
  }
}
