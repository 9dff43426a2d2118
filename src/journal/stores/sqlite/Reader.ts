/**
 * Reads the journal from one connection.
 *
 * @module
 */
import { type Filter, type Head, noHash, type Row } from "../../Entry.ts"
import type { Scan, StoreSize } from "../../JournalStore.ts"
import { blocksOf, type Seek } from "./blocks.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { type Asked, Gatherer } from "./Gatherer.ts"
import { layoutOf } from "./layout.ts"
import { Names } from "./Names.ts"
import { headQuery, removedQuery, stateQuery } from "./queries.ts"
import { blockOf, blockSizeOf, kindBlocksSince } from "./schema.ts"

/** Reads from a connection. Everything here throws what SQLite says, or a `JournalError`. */
export class Reader {
  readonly connection: Connection
  readonly names: Names
  #generation = -1
  #version = 0

  constructor(connection: Connection) {
    this.connection = connection
    this.names = new Names(connection)
  }

  /** The last position that was removed. Looks also whether the layout is still the one that was seen last. */
  #removed(): number {
    const state = this.connection.row(stateQuery) ?? []
    const generation = numberAt(state, 1)
    if (generation !== this.#generation) {
      this.#version = layoutOf(this.connection).version
      this.#generation = generation
    }
    return numberAt(state, 0)
  }

  head(): Head {
    const found = this.connection.row(headQuery)
    return found === undefined
      ? { position: 0, hash: noHash }
      : { position: numberAt(found, 0), hash: textAt(found, 1) }
  }

  /** How large the journal is; `bytes` without the write-ahead log. */
  size(): StoreSize {
    return this.connection.read(() => {
      const { position } = this.head()
      const removed = this.connection.number(removedQuery)
      const pages = this.connection.number("PRAGMA page_count")
      return {
        // Positions have no gaps.
        entries: position - removed,
        first: position === 0 ? 0 : removed + 1,
        bytes: pages * this.connection.number("PRAGMA page_size"),
      }
    })
  }

  scan(scan: Scan): ReadonlyArray<Row> {
    return scan.limit > 0 ? this.connection.read(() => this.#scan(scan)) : []
  }

  #scan(scan: Scan): ReadonlyArray<Row> {
    const { filter = {}, order = "forward" } = scan
    const from = Math.max(scan.after ?? 0, this.#removed()) + 1
    const to = Math.min((scan.before ?? Infinity) - 1, this.head().position)
    const correlation = this.#correlation(filter)
    const kinds = this.names.kindsOf(filter)
    // Names that no entry has.
    if (correlation === null || kinds?.length === 0) return []
    const asked: Asked = { order, from, to, correlation, kinds }
    const gatherer = new Gatherer(this.connection, this.names, scan, asked)
    // An old file that may not be written stays as it is.
    const indexed = this.#version >= kindBlocksSince ? kinds : undefined
    if (correlation === undefined && indexed === undefined) gatherer.take(from, to)
    else this.#takeBlocks(gatherer, asked, blocksOf(this.connection, order, correlation, indexed))
    return gatherer.rows
  }

  /** The number of the correlation that is asked for, `null` when no entry has it. */
  #correlation({ correlationId }: Filter): number | null | undefined {
    return correlationId === undefined ? undefined : this.names.findCorrelation(correlationId) ?? null
  }

  /** Takes what is asked for from the blocks in which it may be. */
  #takeBlocks(gatherer: Gatherer, { from, order, to }: Asked, seek: Seek): void {
    const size = blockSizeOf(this.#version)
    let at = order === "forward" ? from : to
    while (!gatherer.isFull && from <= at && at <= to) {
      const block = seek(blockOf(at, size))
      if (block === undefined) return
      const low = Math.max(block * size, order === "forward" ? at : from)
      const high = Math.min(block * size + size - 1, order === "forward" ? to : at)
      // Beyond what is asked for, in its order.
      if (low > high) return
      at = gatherer.take(low, high)
    }
  }
}
