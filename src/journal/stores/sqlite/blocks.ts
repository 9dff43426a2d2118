/**
 * In which blocks there may be rows that a filter means.
 *
 * @module
 */
import type { Filter } from "../../Entry.ts"
import { type Connection, numberAt } from "./Connection.ts"
import { markQuery, type Order } from "./queries.ts"
import { blockOf, blockSize, type IndexedColumn } from "./schema.ts"

/** Blocks in one order: the first of them that is not before a block; `undefined` when there is none. */
export type Seek = (block: number) => number | undefined

/** Whether one block comes before another. */
type Precedes = (one: number, other: number) => boolean

const precedes: Readonly<Record<Order, Precedes>> = {
  forward: (one, other) => one < other,
  backward: (one, other) => one > other,
}

/** The blocks of one value. The caller goes on in one direction, so an answer holds until it is reached. */
const marked = (connection: Connection, order: Order, column: IndexedColumn, value: string): Seek => {
  const query = markQuery(column, order)
  let known: number | undefined
  let over = false
  return (block) => {
    if (over || (known !== undefined && !precedes[order](known, block))) return known
    const from = order === "forward" ? block * blockSize : (block + 1) * blockSize - 1
    const found = connection.row(query, value, from)
    known = found === undefined ? undefined : blockOf(numberAt(found, 0))
    over = known === undefined
    return known
  }
}

/** The blocks that any has. */
const anyOf = (seeks: ReadonlyArray<Seek>, order: Order): Seek => (block) => {
  let first: number | undefined
  for (const seek of seeks) {
    const found = seek(block)
    if (found !== undefined && (first === undefined || precedes[order](found, first))) first = found
  }
  return first
}

/** The blocks that all have: each leaps to where the others are. */
const allOf = (seeks: ReadonlyArray<Seek>): Seek => (block) => {
  let at: number | undefined = block
  for (let agreed = 0; at !== undefined && agreed < seeks.length;) {
    const found: number | undefined = seeks[agreed]?.(at)
    agreed = found === at ? agreed + 1 : 0
    at = found
  }
  return at
}

/**
 * The blocks in which there may be rows of a filter; `undefined` when it means every row. In the block in which the
 * journal begins there may always be some: the rows that were marked there may have been removed.
 */
export const blocksOf = (
  connection: Connection,
  order: Order,
  { branch, correlationId, tags }: Filter,
  beginning: number,
): Seek | undefined => {
  const seeks: Array<Seek> = []
  if (correlationId !== undefined) seeks.push(marked(connection, order, "correlation_id", correlationId))
  if (tags !== undefined) {
    seeks.push(anyOf([...new Set(tags)].map((tag) => marked(connection, order, "tag", tag)), order))
  }
  if (branch !== undefined) seeks.push(marked(connection, order, "branch", branch))
  if (seeks.length === 0) return undefined
  return anyOf([allOf(seeks), (block) => precedes[order](beginning, block) ? undefined : beginning], order)
}
