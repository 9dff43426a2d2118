/** Buffers transactions of the durability `memory`, up to 1 Mi characters, until they are written to the file. */
import type { Head, Row } from "../../Entry.ts"

const maxLength = 1024 * 1024

const rowLength = 250

const lengthOf = (rows: ReadonlyArray<Row>): number => rows.reduce((sum, { body }) => sum + body.length + rowLength, 0)

export class WriteBuffer {
  #transactions: Array<ReadonlyArray<Row>> = []
  #length = 0

  get transactions(): ReadonlyArray<ReadonlyArray<Row>> {
    return this.#transactions
  }

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

  /** Adds a transaction; returns `false` without adding it when the buffer would be too large. */
  tryAdd(rows: ReadonlyArray<Row>): boolean {
    const length = this.#length + lengthOf(rows)
    if (length > maxLength) return false
    this.#length = length
    this.#transactions.push(rows)
    return true
  }

  clear(): void {
    this.#transactions = []
    this.#length = 0
  }
}
