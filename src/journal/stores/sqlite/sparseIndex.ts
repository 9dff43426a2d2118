/**
 * Defines the sparse indexes of a SQLite journal over correlation id, tag and branch, computes the marks that put a
 * row into them, and finds the blocks of positions that may match a filter.
 *
 * An index row costs as much as an entry, and a journal is written far more often than it is searched. For this reason
 * positions are divided into blocks, and an index holds only the first row of each value in each block: the bit of that
 * row is set in the column `marks`, and a partial index covers the rows with the bit. A search finds the blocks, then
 * filters their rows.
 */
import type { Filter, Position, Row } from "../../Entry.ts"
import { type Connection, numberAt } from "./Connection.ts"

/** Positions of one block. Larger blocks filter more rows in vain, smaller ones need more index rows. */
export const blockSize = 256

export const blockOf = (position: Position): number => Math.floor(position / blockSize)

export type Order = "forward" | "backward"

interface SparseIndex {
  readonly name: string
  readonly column: "correlation_id" | "tag" | "branch"
  readonly field: "correlationId" | "tag" | "branch"
  readonly bit: number
}

export const sparseIndexes: ReadonlyArray<SparseIndex> = [
  { name: "by_correlation_id", column: "correlation_id", field: "correlationId", bit: 1 },
  { name: "by_tag", column: "tag", field: "tag", bit: 2 },
  { name: "by_branch", column: "branch", field: "branch", bit: 4 },
]

/** Computes the marks of rows that come in the order of their positions. */
export class MarkBuilder {
  #block = -1
  readonly #seen = sparseIndexes.map(() => new Set<string>())
  /** The last value of each index: values often repeat, and a comparison costs less than a lookup in the set. */
  readonly #last: Array<string | undefined> = []

  /** Forgets the rows so far. A value that is marked twice in a block is still found. */
  reset(): void {
    this.#block = -1
  }

  marksOf(
    { branch, correlationId, position, tag }: Pick<Row, "position" | "correlationId" | "tag" | "branch">,
  ): number {
    const block = blockOf(position)
    if (block !== this.#block) {
      this.#block = block
      this.#last.length = 0
      for (const values of this.#seen) values.clear()
    }
    return this.#mark(0, correlationId) | this.#mark(1, tag) | this.#mark(2, branch)
  }

  #mark(index: number, value: string): number {
    if (value === this.#last[index]) return 0
    this.#last[index] = value
    const values = this.#seen[index]
    if (values === undefined || values.has(value)) return 0
    values.add(value)
    return 1 << index
  }
}

export const markQuery = ({ bit, column }: SparseIndex, order: Order): string =>
  order === "forward"
    ? `SELECT position FROM entries WHERE ${column} = ? AND marks & ${bit} AND position >= ?
        ORDER BY position ASC LIMIT 1`
    : `SELECT position FROM entries WHERE ${column} = ? AND marks & ${bit} AND position <= ?
        ORDER BY position DESC LIMIT 1`

/** Finds the first block of a set at or after `block`, in the order of the scan; `undefined` if there is none. */
export type SeekBlock = (block: number) => number | undefined

const precedes = (order: Order, one: number, other: number): boolean => order === "forward" ? one < other : one > other

/** The blocks that hold a value. Remembers the last answer: a scan only moves on. */
const blocksWith = (connection: Connection, order: Order, index: SparseIndex, value: string): SeekBlock => {
  const query = markQuery(index, order)
  let found: number | undefined
  let ended = false
  return (block) => {
    if (ended || (found !== undefined && !precedes(order, found, block))) return found
    const from = order === "forward" ? block * blockSize : (block + 1) * blockSize - 1
    const row = connection.row(query, value, from)
    found = row === undefined ? undefined : blockOf(numberAt(row, 0))
    ended = found === undefined
    return found
  }
}

/** The values of an indexed field that a filter allows; `undefined` if it allows all. */
const valuesOf = (filter: Filter, field: SparseIndex["field"]): ReadonlyArray<string> | undefined => {
  if (field === "tag") return filter.tags
  const value = filter[field]
  return value === undefined ? undefined : [value]
}

/**
 * The blocks that may hold rows of a filter; `undefined` for a filter without conditions. `firstBlock`, in which the
 * journal begins, is always among them: its marked rows may have been pruned.
 */
export const seekBlocks = (
  connection: Connection,
  order: Order,
  filter: Filter,
  firstBlock: number,
): SeekBlock | undefined => {
  /** For each condition, the sets of blocks: one of them must contain the block. */
  const conditions = sparseIndexes.flatMap((index) => {
    const values = valuesOf(filter, index.field)
    if (values === undefined) return []
    return [[...new Set(values)].map((value) => blocksWith(connection, order, index, value))]
  })
  if (conditions.length === 0) return undefined
  const union = (seeks: ReadonlyArray<SeekBlock>, block: number): number | undefined => {
    let first: number | undefined
    for (const seek of seeks) {
      const found = seek(block)
      if (found !== undefined && (first === undefined || precedes(order, found, first))) first = found
    }
    return first
  }
  /** Each condition skips ahead to the block of the one before it, until all agree. */
  const intersection: SeekBlock = (block) => {
    let at: number | undefined = block
    for (let agreed = 0; at !== undefined && agreed < conditions.length;) {
      const found: number | undefined = union(conditions[agreed] ?? [], at)
      agreed = found === at ? agreed + 1 : 0
      at = found
    }
    return at
  }
  const first: SeekBlock = (block) => precedes(order, firstBlock, block) ? undefined : firstBlock
  return (block) => union([intersection, first], block)
}
