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

/** Runs an INSERT for rows of so many cells, several with each call. */
const insertAll = (connection: Connection, into: string, width: number, cells: ReadonlyArray<Cell>): void => {
  let from = 0
  for (const count of together) {
    const step = count * width
    if (from + step > cells.length) continue
    const sql = statements(into, width, count)
    for (; from + step <= cells.length; from += step) connection.run(sql, ...cells.slice(from, from + step))
  }
}

const texts = new Map<string, string>()

/** The text of an INSERT; there are a handful. */
const statements = (into: string, width: number, count: number): string => {
  const key = `${into} ${count}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const row = `(${Array(width).fill("?").join(", ")})`
  const sql = `${into} VALUES ${Array(count).fill(row).join(", ")}`
  texts.set(key, sql)
  return sql
}

/** Adds rows on one connection. What it remembers is true only while nothing is rolled back: then {@link clear}. */
export class Inserter {
  readonly #connection: Connection
  readonly #names: Names
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
  }

  insert(rows: ReadonlyArray<Row>): void {
    const entries: Array<Cell> = []
    const correlationBlocks: Array<Cell> = []
    const kindBlocks: Array<Cell> = []
    for (const row of rows) {
      const { body, correlationId, hash, position, time } = row
      const correlation = this.#names.correlation(correlationId)
      const kind = this.#kind(row)
      entries.push(position, time, correlation, kind, hash, body)
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
    insertAll(this.#connection, "INSERT INTO entries", 6, entries)
    insertAll(this.#connection, "INSERT OR IGNORE INTO correlation_blocks", 2, correlationBlocks)
    insertAll(this.#connection, "INSERT OR IGNORE INTO kind_blocks", 2, kindBlocks)
  }

  #kind({ branch, tag, version }: Row): number {
    const last = this.#lastKind
    if (last !== undefined && last.tag === tag && last.branch === branch && last.version === version) return last.id
    const id = this.#names.kind({ branch, tag, version })
    this.#lastKind = { branch, tag, version, id }
    return id
  }
}
