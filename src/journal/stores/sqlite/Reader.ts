/**
 * Reads the journal from one connection.
 *
 * @module
 */
import { type Filter, type Head, noHash, type Row } from "../../Entry.ts"
import type { Scan, StoreSize } from "../../JournalStore.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import type { Cell } from "./driver.ts"
import { Gatherer } from "./Gatherer.ts"
import { layoutOf } from "./layout.ts"
import { Names } from "./Names.ts"
import { type Asked, blockQuery, headQuery, removedQuery } from "./queries.ts"
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
    if (correlation === null || kinds === "[]") return []
    const asked: Asked = { order, correlation: correlation !== undefined, kinds: kinds !== undefined }
    const values: Array<Cell> = []
    if (correlation !== undefined) values.push(correlation)
    if (kinds !== undefined) values.push(kinds)
    const gatherer = new Gatherer(this.connection, this.names, scan, asked, values)
    const indexed = { ...asked, kinds: asked.kinds && this.#hasKindBlocks }
    if (indexed.correlation || indexed.kinds) this.#byBlocks(gatherer, indexed, correlation, kinds, after, before)
    else gatherer.take(after, before)
    return gatherer.rows
  }

  /** The number of the correlation that is asked for, `null` when no entry has it. */
  #correlation({ correlationId }: Filter): number | null | undefined {
    return correlationId === undefined ? undefined : this.names.findCorrelation(correlationId) ?? null
  }

  #byBlocks(
    gatherer: Gatherer,
    asked: Asked,
    correlation: number | undefined,
    kinds: string | undefined,
    after: number,
    before: number,
  ): void {
    const forward = asked.order === "forward"
    const query = blockQuery(asked)
    const last = blockOf(before - 1)
    let block: number | undefined = forward ? blockOf(after + 1) : Math.min(last, blockOf(this.head().position))
    const first = forward ? block : blockOf(after + 1)
    while (!gatherer.full) {
      const values: Array<Cell> = correlation === undefined ? [block] : [correlation, block]
      if (asked.kinds && kinds !== undefined) values.push(kinds)
      const found = this.connection.row(query, ...values)?.[0]
      if (typeof found !== "number" || found > last || found < first) return
      gatherer.take(Math.max(after, found * blockSize - 1), Math.min(before, (found + 1) * blockSize))
      block = forward ? found + 1 : found - 1
    }
  }
}
