/**
 * Adds rows.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"
import type { Connection } from "./Connection.ts"
import type { Cell } from "./driver.ts"
import { Marker } from "./Marker.ts"

/** Rows of one statement: a call of the driver costs about as much as a row. */
const together = 16

const insert = (count: number): string =>
  `INSERT INTO entries (position, marks, time, branch, correlation_id, tag, version, hash, body)
    VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`

const insertOne = insert(1)
const insertTogether = insert(together)

/** Adds rows on one connection. What it remembers is true only while nothing is rolled back: then {@link clear}. */
export class Inserter {
  readonly #connection: Connection
  readonly #marker = new Marker()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Forgets what was rolled back, or lies before what another process has appended. */
  clear(): void {
    this.#marker.clear()
  }

  insert(rows: ReadonlyArray<Row>): void {
    let at = 0
    for (; at + together <= rows.length; at += together) {
      this.#connection.run(insertTogether, ...this.#cells(rows, at, at + together))
    }
    for (; at < rows.length; at++) this.#connection.run(insertOne, ...this.#cells(rows, at, at + 1))
  }

  #cells(rows: ReadonlyArray<Row>, from: number, to: number): Array<Cell> {
    const cells: Array<Cell> = []
    for (let at = from; at < to; at++) {
      const row = rows[at]
      if (row === undefined) break
      const { body, branch, correlationId, hash, position, tag, time, version } = row
      cells.push(position, this.#marker.marks(row), time, branch, correlationId, tag, version, hash, body)
    }
    return cells
  }
}
