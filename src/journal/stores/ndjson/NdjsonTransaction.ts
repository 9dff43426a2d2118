/** Collects the changes of one NDJSON transaction in memory until the commit, and shows them to its scans. */
import * as Effect from "effect/Effect"
import type { Head, Position, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Scan, StoreTransaction } from "../../JournalStore.ts"
import { findUnwritableField } from "./encodeLine.ts"

export interface TransactionStore {
  readonly head: Head
  readonly path: string
  /** Scans the rows of the store, followed by `unwritten`. */
  readonly scan: (scan: Scan, unwritten: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Row>, JournalError>
}

export class NdjsonTransaction implements StoreTransaction {
  readonly head: Head
  readonly #store: TransactionStore
  #rows: Array<Row> = []
  #removedThrough: Position = 0
  readonly #strippedPositions = new Set<Position>()

  constructor(store: TransactionStore) {
    this.#store = store
    this.head = store.head
  }

  get rows(): ReadonlyArray<Row> {
    return this.#strippedPositions.size === 0 ? this.#rows : this.#rows.map(this.#stripRow)
  }

  get removedThrough(): Position {
    return this.#removedThrough
  }

  get strippedPositions(): ReadonlySet<Position> {
    return this.#strippedPositions
  }

  readonly scan = (scan: Scan): Effect.Effect<ReadonlyArray<Row>, JournalError> => {
    if (this.#removedThrough === 0 && this.#strippedPositions.size === 0) return this.#store.scan(scan, this.#rows)
    const after = Math.max(scan.after ?? 0, this.#removedThrough)
    return Effect.map(this.#store.scan({ ...scan, after }, this.#rows), (rows) => rows.map(this.#stripRow))
  }

  readonly insert = (rows: ReadonlyArray<Row>): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      let expected = (this.#rows.at(-1)?.position ?? this.head.position) + 1
      for (const row of rows) {
        const field = findUnwritableField(row, expected)
        if (field !== undefined) return this.#failInvalid(field)
        expected++
      }
      if (this.#rows.length === 0) this.#rows = [...rows]
      else for (const row of rows) this.#rows.push(row)
      return Effect.void
    })

  readonly removeThrough = (position: Position): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      if (position >= this.head.position) return this.#failInvalid("position")
      this.#removedThrough = Math.max(this.#removedThrough, position)
      return Effect.void
    })

  readonly strip = (positions: ReadonlyArray<Position>): Effect.Effect<void, JournalError> =>
    Effect.sync(() => {
      for (const position of positions) this.#strippedPositions.add(position)
    })

  readonly #stripRow = (row: Row): Row => this.#strippedPositions.has(row.position) ? { ...row, body: "" } : row

  #failInvalid(field: string): Effect.Effect<never, JournalError> {
    return Effect.fail(JournalError.because(
      { _tag: "Invalid", field },
      `journal: ${this.#store.path} was not written: the ${field} of an entry is not valid`,
    ))
  }
}
