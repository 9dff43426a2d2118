/**
 * Buffers NDJSON transactions of the durability `memory`, up to 1 Mi characters, until the store writes them to the
 * file.
 */
import type { Head, Row } from "../../Entry.ts"

/** Maximum number of buffered characters. */
const maxLength = 1024 * 1024

/** Approximate length of a row without its body. */
const rowLength = 250

const lengthOf = (rows: ReadonlyArray<Row>): number => rows.reduce((sum, { body }) => sum + body.length + rowLength, 0)

/** Transactions that are not in the file yet. */
export class WriteBuffer {
  #transactions: Array<ReadonlyArray<Row>> = []
  #length = 0

  /** The transactions, in order. */
  get transactions(): ReadonlyArray<ReadonlyArray<Row>> {
    return this.#transactions
  }

  /** The approximate number of characters. */
  get length(): number {
    return this.#length
  }

  /** The last position and its hash. */
  get head(): Head | undefined {
    const last = this.#transactions.at(-1)?.at(-1)
    return last === undefined ? undefined : { position: last.position, hash: last.hash }
  }

  /** The first row. */
  get first(): Row | undefined {
    return this.#transactions[0]?.[0]
  }

  /** Adds a transaction; returns `false` without adding it when the buffer would be too large. */
  tryAdd(rows: ReadonlyArray<Row>): boolean {
    const length = this.#length + lengthOf(rows)
    if (length > maxLength) return false
    this.#length = length
    this.#transactions.push(rows)
    return true
  }

  /** Removes all transactions: they are in the file now. */
  clear(): void {
    this.#transactions = []
    this.#length = 0
  }
}
