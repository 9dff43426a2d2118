/**
 * In which blocks there may be rows that a filter means.
 *
 * @module
 */
import type { Connection } from "./Connection.ts"
import { correlationBlockQuery, kindBlockQuery, type Order } from "./queries.ts"

/** Blocks in one order: the first of them that is not before a block; `undefined` when there is none. */
export type Seek = (block: number) => number | undefined

/** Whether one block comes before another. */
type Precedes = (one: number, other: number) => boolean

const precedes: Readonly<Record<Order, Precedes>> = {
  forward: (one, other) => one < other,
  backward: (one, other) => one > other,
}

/** The blocks of one key. Who asks goes on in one direction, so an answer holds until it is reached. */
const keyed = (connection: Connection, query: string, key: number, before: Precedes): Seek => {
  let known: number | undefined
  let over = false
  return (block) => {
    if (over || (known !== undefined && !before(known, block))) return known
    const found = connection.row(query, key, block)?.[0]
    known = typeof found === "number" ? found : undefined
    over = known === undefined
    return known
  }
}

/** The blocks that any has. */
const anyOf = (seeks: ReadonlyArray<Seek>, before: Precedes): Seek => (block) => {
  let first: number | undefined
  for (const seek of seeks) {
    const found = seek(block)
    if (found !== undefined && (first === undefined || before(found, first))) first = found
  }
  return first
}

/** The blocks that both have: each leaps to where the other is. */
const both = (one: Seek, other: Seek): Seek => (block) => {
  for (let at: number | undefined = block; at !== undefined;) {
    const found = one(at)
    if (found === undefined) return undefined
    at = other(found)
    if (at === found) return found
  }
  return undefined
}

/** The blocks in which there are rows of a correlation, and rows of any of some kinds; what is not given is not asked. */
export const blocksOf = (
  connection: Connection,
  order: Order,
  correlation: number | undefined,
  kinds: ReadonlyArray<number> | undefined,
): Seek => {
  const before = precedes[order]
  const ofKinds = kinds === undefined
    ? undefined
    : anyOf(kinds.map((kind) => keyed(connection, kindBlockQuery(order), kind, before)), before)
  if (correlation === undefined) return ofKinds ?? ((block) => block)
  const ofCorrelation = keyed(connection, correlationBlockQuery(order), correlation, before)
  return ofKinds === undefined ? ofCorrelation : both(ofCorrelation, ofKinds)
}
