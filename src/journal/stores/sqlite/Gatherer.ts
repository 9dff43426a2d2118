/**
 * Gathers the rows of one scan, until there are as many as were asked for.
 *
 * @module
 */
import type { Position, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Scan } from "../../JournalStore.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import type { Cell, Cells } from "./driver.ts"
import type { Names } from "./Names.ts"
import { type Asked, type BodyPart, bodyQuery, rangeQuery } from "./queries.ts"
import { isCorrupt } from "./sqliteError.ts"

/** Rows that are read at a time while it is not known how long their bodies are. */
const batch = 128

const corrupt = (position: Position, what: string, exception?: unknown): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: entry ${position} cannot be read: ${what}`,
    exception,
  )

/** What a scan has found. Everything here throws what SQLite says, or a {@link JournalError}. */
export class Gatherer {
  readonly rows: Array<Row> = []
  readonly #connection: Connection
  readonly #names: Names
  readonly #body: BodyPart
  readonly #query: string
  readonly #asked: Asked
  readonly #values: ReadonlyArray<Cell>
  readonly #limit: number
  readonly #maxBytes: number
  #bytes = 0
  /** There are as many as were asked for. */
  full = false

  constructor(connection: Connection, names: Names, scan: Scan, asked: Asked, values: ReadonlyArray<Cell>) {
    const { headersOnly = false, limit, maxBytes = Infinity } = scan
    this.#connection = connection
    this.#names = names
    this.#body = headersOnly ? "none" : maxBytes < Infinity ? "short" : "whole"
    this.#query = rangeQuery(asked, this.#body)
    this.#asked = asked
    this.#values = values
    this.#limit = Math.min(limit, Number.MAX_SAFE_INTEGER)
    this.#maxBytes = maxBytes
  }

  /** Takes what is asked for between two positions, both exclusive. */
  take(after: Position, before: Position): void {
    while (!this.full) {
      // There are no more positions than that: what comes behind the last is not looked at.
      const left = Math.min(this.#limit - this.rows.length, before - after - 1)
      if (left <= 0) return
      const count = this.#body === "short" ? Math.min(left, batch) : left
      const found = this.#read(after, before, count)
      for (const cells of found) if (!this.#add(cells)) return
      const last = this.rows.at(-1)
      if (found.length < count || last === undefined) return
      if (this.#asked.order === "forward") after = last.position
      else before = last.position
    }
  }

  #read(after: Position, before: Position, count: number): ReadonlyArray<Cells> {
    try {
      return this.#connection.rows(this.#query, after + 1, before - 1, ...this.#values, count)
    } catch (error) {
      if (isCorrupt(error)) this.#name(after, before, error)
      throw error
    }
  }

  /** Which row cannot be read: they are read one by one. */
  #name(after: Position, before: Position, error: unknown): void {
    const forward = this.#asked.order === "forward"
    for (;;) {
      let found: ReadonlyArray<Cells>
      try {
        found = this.#connection.rows(this.#query, after + 1, before - 1, ...this.#values, 1)
      } catch {
        throw corrupt(forward ? after + 1 : before - 1, "a page of the file is not what was written", error)
      }
      const [cells] = found
      if (cells === undefined) return
      if (forward) after = numberAt(cells, 0)
      else before = numberAt(cells, 0)
    }
  }

  /** Adds a row; `false` when it is one too many. */
  #add(cells: Cells): boolean {
    const row = this.#row(cells)
    if (row === undefined) {
      this.full = true
      return false
    }
    this.rows.push(row)
    this.full = this.rows.length >= this.#limit
    return !this.full
  }

  #row(cells: Cells): Row | undefined {
    const position = numberAt(cells, 0)
    const correlationId = this.#names.correlationId(numberAt(cells, 2))
    const kind = this.#names.kindOf(numberAt(cells, 3))
    if (correlationId === undefined) throw corrupt(position, "its correlation id is not there")
    if (kind === undefined) throw corrupt(position, "its branch and tag are not there")
    const { branch, tag, version } = kind
    const time = numberAt(cells, 1)
    const hash = textAt(cells, 4)
    if (this.#body === "short") {
      this.#bytes += numberAt(cells, 6)
      if (this.#bytes > this.#maxBytes && this.rows.length > 0) return undefined
    }
    const body = cells[5] === null ? this.#long(position) : textAt(cells, 5)
    return { position, time, branch, correlationId, tag, version, hash, body }
  }

  #long(position: Position): string {
    try {
      return textAt(this.#connection.row(bodyQuery, position) ?? [], 0)
    } catch (error) {
      throw isCorrupt(error) ? corrupt(position, "a page of the file is not what was written", error) : error
    }
  }
}
