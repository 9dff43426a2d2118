/**
 * Rows that only this process has yet.
 *
 * @module
 */
import type { Head, Row } from "../../Entry.ts"

/** Most characters that are held back. */
const maxLength = 1024 * 1024

/** What a row takes beside its body, about. */
const rowLength = 250

const lengthOf = (rows: ReadonlyArray<Row>): number => rows.reduce((sum, { body }) => sum + body.length + rowLength, 0)

/** Transactions that are to be written soon. */
export class WriteBuffer {
  #transactions: Array<ReadonlyArray<Row>> = []
  #length = 0

  /** In order. */
  get transactions(): ReadonlyArray<ReadonlyArray<Row>> {
    return this.#transactions
  }

  /** How much it is, in characters, about. */
  get length(): number {
    return this.#length
  }

  get head(): Head | undefined {
    const last = this.#transactions.at(-1)?.at(-1)
    return last === undefined ? undefined : { position: last.position, hash: last.hash }
  }

  get first(): Row | undefined {
    return this.#transactions[0]?.[0]
  }

  /** Takes a transaction; `false` when it is too much. */
  tryAdd(rows: ReadonlyArray<Row>): boolean {
    const length = this.#length + lengthOf(rows)
    if (length > maxLength) return false
    this.#length = length
    this.#transactions.push(rows)
    return true
  }

  /** They are in the file now. */
  clear(): void {
    this.#transactions = []
    this.#length = 0
  }
}
