/**
 * Adds rows, and what the indexes know of them.
 *
 * @module
 */
import type { Row } from "../../Entry.ts"
import type { Connection } from "./Connection.ts"
import type { Cell } from "./driver.ts"
import type { Kind, Names } from "./Names.ts"
import { blockOf } from "./schema.ts"

/**
 * Rows of one statement. A call of a statement costs about as much as what it does for one row, so they go by the
 * dozen: 32 took 60 to 75 % of the time of one by one, on each runtime; more than that won nothing.
 */
const together = [32, 8, 1]

const most = 32

/** The statements that add rows to one table. */
class Insert {
  readonly #connection: Connection
  readonly #width: number
  readonly #texts: ReadonlyArray<readonly [length: number, sql: string]>

  constructor(connection: Connection, into: string, width: number) {
    const row = `(${Array(width).fill("?").join(", ")})`
    this.#connection = connection
    this.#width = width
    this.#texts = together.map((count) => [count * width, `${into} VALUES ${Array(count).fill(row).join(", ")}`])
  }

  /** Whether there are cells for as many rows as one statement takes. */
  isFilled(cells: ReadonlyArray<Cell>): boolean {
    return cells.length === most * this.#width
  }

  run(cells: ReadonlyArray<Cell>): void {
    let from = 0
    for (const [length, sql] of this.#texts) {
      for (; from + length <= cells.length; from += length) {
        const some = length === cells.length ? cells : cells.slice(from, from + length)
        this.#connection.statement(sql).run(...some)
      }
    }
  }
}

/** Adds rows on one connection. What it remembers is true only while nothing is rolled back: then {@link clear}. */
export class Inserter {
  readonly #names: Names
  readonly #entries: Insert
  readonly #correlationBlocks: Insert
  readonly #kindBlocks: Insert
  // The index rows of the last block are there already; it holds the last entry, so nobody removes them.
  #block = -1
  readonly #correlations = new Set<number>()
  readonly #kinds = new Set<number>()
  #lastKind: Kind & { readonly id: number } | undefined

  constructor(connection: Connection, names: Names) {
    this.#names = names
    this.#entries = new Insert(connection, "INSERT INTO entries", 6)
    this.#correlationBlocks = new Insert(connection, "INSERT OR IGNORE INTO correlation_blocks", 2)
    this.#kindBlocks = new Insert(connection, "INSERT OR IGNORE INTO kind_blocks", 2)
  }

  /** Forgets what was rolled back, or what another process may have changed. */
  clear(): void {
    this.#block = -1
    this.#lastKind = undefined
  }

  insert(rows: ReadonlyArray<Row>): void {
    let entries: Array<Cell> = []
    const correlationBlocks: Array<Cell> = []
    const kindBlocks: Array<Cell> = []
    for (const row of rows) {
      const { body, correlationId, hash, position, time } = row
      const correlation = this.#names.correlation(correlationId)
      const kind = this.#kind(row)
      entries.push(position, time, correlation, kind, hash, body)
      if (this.#entries.isFilled(entries)) {
        this.#entries.run(entries)
        entries = []
      }
      const block = blockOf(position)
      if (block !== this.#block) {
        this.#block = block
        this.#correlations.clear()
        this.#kinds.clear()
      }
      if (!this.#correlations.has(correlation)) {
        this.#correlations.add(correlation)
        correlationBlocks.push(correlation, block)
      }
      if (!this.#kinds.has(kind)) {
        this.#kinds.add(kind)
        kindBlocks.push(kind, block)
      }
    }
    this.#entries.run(entries)
    this.#correlationBlocks.run(correlationBlocks)
    this.#kindBlocks.run(kindBlocks)
  }

  #kind({ branch, tag, version }: Row): number {
    const last = this.#lastKind
    if (last !== undefined && last.tag === tag && last.branch === branch && last.version === version) return last.id
    const id = this.#names.kind({ branch, tag, version })
    this.#lastKind = { branch, tag, version, id }
    return id
  }
}
