/**
 * Adds rows, and what the indexes know of them.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"
import type { Connection } from "./Connection.ts"
import type { Kind, Names } from "./Names.ts"
import { blockOf } from "./schema.ts"
import { SegmentBuilder } from "./SegmentBuilder.ts"

const segmentInsert = "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)"

const correlationBlockInsert = "INSERT OR IGNORE INTO correlation_blocks VALUES (?, ?)"

const kindBlockInsert = "INSERT OR IGNORE INTO kind_blocks VALUES (?, ?)"

/** Adds rows on one connection. What it remembers is true only while nothing is rolled back: then {@link clear}. */
export class Inserter {
  readonly #connection: Connection
  readonly #names: Names
  #segment = new SegmentBuilder()
  // The index rows of the last block are there already; it holds the last entry, so nobody removes them.
  #block = -1
  readonly #correlations = new Set<number>()
  readonly #kinds = new Set<number>()
  #lastKind: Kind & { readonly id: number } | undefined

  constructor(connection: Connection, names: Names) {
    this.#connection = connection
    this.#names = names
  }

  /** Forgets what was rolled back, or what another process may have changed. */
  clear(): void {
    this.#block = -1
    this.#lastKind = undefined
    this.#segment = new SegmentBuilder()
  }

  insert(rows: ReadonlyArray<Row>): void {
    for (const row of rows) {
      const correlation = this.#names.correlation(row.correlationId)
      const kind = this.#kind(row)
      if (!this.#segment.takes(row)) this.#write()
      this.#segment.add(row, correlation, kind)
      this.#index(blockOf(row.position), correlation, kind)
    }
    if (!this.#segment.isEmpty) this.#write()
  }

  #write(): void {
    this.#connection.statement(segmentInsert).run(...this.#segment.finish())
  }

  #index(block: number, correlation: number, kind: number): void {
    if (block !== this.#block) {
      this.#block = block
      this.#correlations.clear()
      this.#kinds.clear()
    }
    if (!this.#correlations.has(correlation)) {
      this.#correlations.add(correlation)
      this.#connection.run(correlationBlockInsert, correlation, block)
    }
    if (!this.#kinds.has(kind)) {
      this.#kinds.add(kind)
      this.#connection.run(kindBlockInsert, kind, block)
    }
  }

  #kind({ branch, tag, version }: Row): number {
    const last = this.#lastKind
    if (last !== undefined && last.tag === tag && last.branch === branch && last.version === version) return last.id
    const id = this.#names.kind({ branch, tag, version })
    this.#lastKind = { branch, tag, version, id }
    return id
  }
}
