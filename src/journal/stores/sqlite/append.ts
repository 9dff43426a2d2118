/**
 * Inserts rows into the table of entries, several with one statement.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"
import type { Connection } from "./Connection.ts"
import type { Cell } from "./nodeSqlite.ts"
import type { MarkBuilder } from "./sparseIndex.ts"

/** Rows of one statement: a call of the driver costs about as much as a row. */
const batchRows = 16

const insertStatement = (count: number): string =>
  `INSERT INTO entries (position, marks, time, branch, correlation_id, tag, version, hash, body)
    VALUES ${Array.from({ length: count }, () => "(?, ?, ?, ?, ?, ?, ?, ?, ?)").join(", ")}`

const insertOne = insertStatement(1)
const insertBatch = insertStatement(batchRows)

/** Inserts rows; `marks` has to be reset when rows of it were rolled back, or other rows came in between. */
export const appendRows = (connection: Connection, marks: MarkBuilder, rows: ReadonlyArray<Row>): void => {
  let cells: Array<Cell> = []
  const single = rows.length - rows.length % batchRows
  rows.forEach((row, index) => {
    const { body, branch, correlationId, hash, position, tag, time, version } = row
    cells.push(position, marks.marksOf(row), time, branch, correlationId, tag, version, hash, body)
    if (index < single && (index + 1) % batchRows !== 0) return
    connection.run(index < single ? insertBatch : insertOne, ...cells)
    cells = []
  })
}
