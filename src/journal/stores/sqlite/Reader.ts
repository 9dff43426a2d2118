/**
 * Reads the journal from one connection.
 *
 * @module
 */
import { type Head, noHash, type Row } from "../../Entry.ts"
import type { Scan, StoreSize } from "../../JournalStore.ts"
import { blocksOf } from "./blocks.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { headQuery, removedQuery } from "./queries.ts"
import { RowScan } from "./RowScan.ts"
import { blockOf, blockSize } from "./schema.ts"

/** Reads from a connection. Everything here throws what SQLite says, or a `JournalError`. */
export class Reader {
  readonly connection: Connection

  constructor(connection: Connection) {
    this.connection = connection
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
    const removed = this.connection.number(removedQuery)
    const from = Math.max(scan.after ?? 0, removed) + 1
    const to = Math.min((scan.before ?? Infinity) - 1, this.head().position)
    const found = new RowScan(this.connection, scan)
    const seek = blocksOf(this.connection, order, filter, blockOf(removed + 1))
    if (seek === undefined) {
      found.take(from, to)
      return found.rows
    }
    let block: number | undefined = blockOf(order === "forward" ? from : to)
    for (;;) {
      block = from > to || found.isFull ? undefined : seek(block)
      if (block === undefined || block < blockOf(from) || block > blockOf(to)) return found.rows
      found.take(Math.max(from, block * blockSize), Math.min(to, (block + 1) * blockSize - 1))
      block += order === "forward" ? 1 : -1
    }
  }
}
