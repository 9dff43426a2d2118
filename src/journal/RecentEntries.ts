/** Keeps the newest rows that this process appended, and decodes each once for all tails. */
import { decodeRow } from "./entryCodec.ts"
import type { Entry, Position, Row } from "./Entry.ts"
import { bodyLength } from "./UnchainedRow.ts"

const maxEntries = 1_024
const maxLength = 4 * 1024 * 1024

export class RecentEntries {
  #rows: Array<Row> = []
  readonly #entries = new Map<Position, Entry>()
  #length = 0

  get last(): Position {
    return this.#rows.at(-1)?.position ?? 0
  }

  add(rows: ReadonlyArray<Row>): void {
    const [first] = rows
    if (first === undefined) return
    // Another process has appended in between.
    if (first.position !== this.last + 1) this.clear()
    for (const row of rows) {
      this.#rows.push(row)
      this.#length += bodyLength(row)
    }
    if (this.#rows.length > maxEntries || this.#length > maxLength) this.#dropOldest()
  }

  /** Drops down to half of the maximum, so that the cost is amortised. */
  #dropOldest(): void {
    let from = 0
    while (
      from < this.#rows.length && (this.#rows.length - from > maxEntries / 2 || this.#length > maxLength / 2)
    ) {
      const row = this.#rows[from++]
      if (row === undefined) break
      this.#length -= bodyLength(row)
      this.#entries.delete(row.position)
    }
    this.#rows = this.#rows.slice(from)
  }

  clear(): void {
    this.#rows = []
    this.#entries.clear()
    this.#length = 0
  }

  /** The rows after a position; `undefined` unless all of them are kept. */
  after(position: Position): ReadonlyArray<Row> | undefined {
    const first = this.#rows[0]
    if (first === undefined || position < first.position - 1 || position >= this.last) return undefined
    return this.#rows.slice(position + 1 - first.position)
  }

  /** Decodes a row, once for all tails. */
  decode(row: Row): Entry {
    const known = this.#entries.get(row.position)
    if (known !== undefined) return known
    const entry = decodeRow(row)
    this.#entries.set(row.position, entry)
    return entry
  }
}
