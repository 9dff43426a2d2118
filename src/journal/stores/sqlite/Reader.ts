/**
 * Reads the journal from one connection.
 *
 * @module
 */
import { type Filter, type Head, noHash, type Position, type Row } from "../../Entry.ts"
import type { Scan, StoreSize } from "../../JournalStore.ts"
import { blocksOf, type Seek } from "./blocks.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import type { Cell } from "./driver.ts"
import { Gatherer } from "./Gatherer.ts"
import { layoutOf } from "./layout.ts"
import { Names } from "./Names.ts"
import { type Asked, headQuery, type Order, removedQuery } from "./queries.ts"
import { blockOf, blockSize, kindBlocksSince } from "./schema.ts"

/** Reads from a connection. Everything here throws what SQLite says, or a `JournalError`. */
export class Reader {
  readonly connection: Connection
  readonly names: Names
  readonly #hasKindBlocks: boolean

  constructor(connection: Connection) {
    this.connection = connection
    this.names = new Names(connection)
    // An old file that may not be written stays as it is.
    this.#hasKindBlocks = layoutOf(connection).version >= kindBlocksSince
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
    const after = Math.max(scan.after ?? 0, this.connection.number(removedQuery))
    const before = Math.min(scan.before ?? Infinity, Number.MAX_SAFE_INTEGER)
    const correlation = this.#correlation(filter)
    const kinds = this.names.kindsOf(filter)
    // Names that no entry has.
    if (correlation === null || kinds?.length === 0) return []
    const values: Array<Cell> = []
    if (correlation !== undefined) values.push(correlation)
    if (kinds !== undefined) values.push(JSON.stringify(kinds))
    const asked: Asked = { order, correlation: correlation !== undefined, kinds: kinds !== undefined }
    const gatherer = new Gatherer(this.connection, this.names, scan, asked, values)
    const indexed = this.#hasKindBlocks ? kinds : undefined
    if (correlation === undefined && indexed === undefined) gatherer.take(after, before)
    else this.#takeBlocks(gatherer, blocksOf(this.connection, order, correlation, indexed), order, after, before)
    return gatherer.rows
  }

  /** The number of the correlation that is asked for, `null` when no entry has it. */
  #correlation({ correlationId }: Filter): number | null | undefined {
    return correlationId === undefined ? undefined : this.names.findCorrelation(correlationId) ?? null
  }

  /** Takes what is asked for from the blocks in which it may be. */
  #takeBlocks(gatherer: Gatherer, seek: Seek, order: Order, after: Position, before: Position): void {
    const first = blockOf(after + 1)
    const last = Math.min(blockOf(before - 1), blockOf(this.head().position))
    const step = order === "forward" ? 1 : -1
    let block = seek(order === "forward" ? first : last)
    while (!gatherer.full && block !== undefined && first <= block && block <= last) {
      gatherer.take(Math.max(after, block * blockSize - 1), Math.min(before, (block + 1) * blockSize))
      block = seek(block + step)
    }
  }
}
