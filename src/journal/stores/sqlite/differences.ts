/**
 * Where a file differs from what its entries ask for: its tables and indexes, and which rows are marked.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { spoilt } from "./corrupt.ts"
import type { Cells } from "./driver.ts"
import { Marker } from "./Marker.ts"
import { schema } from "./schema.ts"
import { isCorrupt } from "./sqliteError.ts"

/** Rows whose marks are looked at before others get their turn. */
const batch = 4_096

/** A trigger, or an index over a table of the store, that the store did not make. */
export interface ForeignObject {
  readonly type: "trigger" | "index"
  readonly name: string
}

/** Triggers and foreign indexes: a unique one, or one that cannot be computed, keeps entries out. */
export const foreignObjects = (connection: Connection): ReadonlyArray<ForeignObject> => {
  const own = new Set(schema.map(([name]) => name))
  return connection.rows("SELECT type, name, tbl_name FROM sqlite_schema WHERE type IN ('trigger', 'index')").flatMap(
    (row): ReadonlyArray<ForeignObject> => {
      const [name, table] = [textAt(row, 1), textAt(row, 2)]
      if (row[0] === "trigger") return [{ type: "trigger", name }]
      return own.has(table) && !own.has(name) ? [{ type: "index", name }] : []
    },
  )
}

/** Tables, indexes and views that are missing or not as they should be, triggers, and foreign indexes. */
export const differentObjects = (connection: Connection): ReadonlyArray<string> => {
  const rows = connection.rows("SELECT name, ifnull(sql, '') FROM sqlite_schema")
  const found = new Map(rows.map((row) => [textAt(row, 0), textAt(row, 1)]))
  return [
    ...schema.filter(([name, sql]) => found.get(name) !== sql).map(([name]) => name),
    ...foreignObjects(connection).map(({ name }) => name),
  ]
}

/** The type of the object that has a name; `undefined` when none has. */
export const typeOf = (connection: Connection, name: string): string | undefined => {
  const row = connection.row("SELECT type FROM sqlite_schema WHERE lower(name) = ?", name)
  return row === undefined ? undefined : textAt(row, 0)
}

/** A row, and which marks it has and needs. */
export interface MarkedRow {
  readonly position: Position
  readonly has: number
  readonly needs: number
}

/** Walks over the marks of all rows in order, a batch at a time. */
export class MarkWalk {
  readonly #marker = new Marker()
  #after: Position = 0
  entries = 0

  /** The next rows; none at the end. */
  next(connection: Connection): ReadonlyArray<MarkedRow> {
    const rows = this.#read(connection).map((row) => {
      const position = numberAt(row, 0)
      const needs = this.#marker.marks({
        position,
        correlationId: textAt(row, 2),
        tag: textAt(row, 3),
        branch: textAt(row, 4),
      })
      return { position, has: numberAt(row, 1), needs }
    })
    this.#after = rows.at(-1)?.position ?? this.#after
    this.entries += rows.length
    return rows
  }

  #read(connection: Connection): ReadonlyArray<Cells> {
    try {
      return connection.rows(
        `SELECT position, marks, correlation_id, tag, branch FROM entries WHERE position > ?
          ORDER BY position LIMIT ${batch}`,
        this.#after,
      )
    } catch (error) {
      throw isCorrupt(error) ? spoilt(this.#after + 1, error) : error
    }
  }
}
