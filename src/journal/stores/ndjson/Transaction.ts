/**
 * What a transaction is about to do. Nothing of it is in the file before it is committed: who fails leaves no trace.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Head, Position, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Scan, StoreTransaction } from "../../JournalStore.ts"
import { findUnwritableField } from "./encodeLine.ts"

/** What the store gives to a transaction. */
export interface TransactionStore {
  readonly head: Head
  readonly path: string
  readonly byteLength: (text: string) => number
  /** Rows of the store, and behind them more. */
  readonly scan: (scan: Scan, more: ReadonlyArray<Row>) => Effect.Effect<ReadonlyArray<Row>, JournalError>
}

/** One transaction. */
export class NdjsonTransaction implements StoreTransaction {
  readonly head: Head
  readonly #store: TransactionStore
  #rows: Array<Row> = []
  #removed: Position = 0
  readonly #stripped = new Set<Position>()

  constructor(store: TransactionStore) {
    this.#store = store
    this.head = store.head
  }

  /** What it adds. */
  get rows(): ReadonlyArray<Row> {
    return this.#stripped.size === 0 ? this.#rows : this.#rows.map(this.#strip)
  }

  /** Up to which position entries go; 0 when none do. */
  get removed(): Position {
    return this.#removed
  }

  /** Which entries lose their bodies. */
  get stripped(): ReadonlySet<Position> {
    return this.#stripped
  }

  /** Whether it changes what is in the file already. */
  get rewrites(): boolean {
    return this.#removed > 0 || this.#stripped.size > 0
  }

  readonly scan = (scan: Scan): Effect.Effect<ReadonlyArray<Row>, JournalError> => {
    if (!this.rewrites) return this.#store.scan(scan, this.#rows)
    const after = Math.max(scan.after ?? 0, this.#removed)
    return Effect.map(this.#store.scan({ ...scan, after }, this.#rows), (rows) => rows.map(this.#strip))
  }

  readonly insert = (rows: ReadonlyArray<Row>): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      let expected = (this.#rows.at(-1)?.position ?? this.head.position) + 1
      for (const row of rows) {
        const field = findUnwritableField(row, expected, this.#store.byteLength)
        if (field !== undefined) return this.#invalid(field)
        expected++
      }
      if (this.#rows.length === 0) this.#rows = [...rows]
      else for (const row of rows) this.#rows.push(row)
      return Effect.void
    })

  readonly removeThrough = (position: Position): Effect.Effect<void, JournalError> =>
    Effect.suspend(() => {
      if (position >= this.head.position) return this.#invalid("position")
      this.#removed = Math.max(this.#removed, position)
      return Effect.void
    })

  readonly strip = (positions: ReadonlyArray<Position>): Effect.Effect<void, JournalError> =>
    Effect.sync(() => {
      for (const position of positions) this.#stripped.add(position)
    })

  readonly #strip = (row: Row): Row => this.#stripped.has(row.position) ? { ...row, body: "" } : row

  #invalid(field: string): Effect.Effect<never, JournalError> {
    return Effect.fail(JournalError.because(
      { _tag: "Invalid", field },
      `journal: ${this.#store.path} was not written: the ${field} of an entry is none that it can hold`,
    ))
  }
}
