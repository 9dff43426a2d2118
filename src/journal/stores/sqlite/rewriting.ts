/**
 * Changes segments that are in the file: what was pruned leaves them.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import type { Cells } from "./driver.ts"
import { segmentQuery } from "./queries.ts"
import { hashAt, joinBodies, joinHashes, joinNumbers, splitBodies, splitNumbers } from "./segmentText.ts"

/** Segments that are rewritten before others get their turn. */
const most = 64

const sizeOf = (cells: Cells): { readonly first: Position; readonly last: Position; readonly count: number } => {
  const last = numberAt(cells, 0)
  const count = numberAt(cells, 1)
  return { first: last - count + 1, last, count }
}

/**
 * Empties bodies at positions that ascend, those of some segments; answers with how many positions it has dealt with. To
 * be run in a transaction.
 */
export const emptyBodies = (connection: Connection, positions: ReadonlyArray<Position>): number => {
  let done = 0
  for (let segments = 0; segments < most; segments++) {
    const position = positions[done]
    const cells = position === undefined ? undefined : connection.row(segmentQuery, position)
    if (cells === undefined) return positions.length
    const { count, first, last } = sizeOf(cells)
    const bodies = [...splitBodies(textAt(cells, 7), count)]
    for (let at = positions[done]; at !== undefined && at <= last; at = positions[++done]) {
      if (at >= first) bodies[at - first] = ""
    }
    connection.run("UPDATE segments SET bodies = ? WHERE last = ?", joinBodies(bodies), last)
  }
  return done
}

/** Cuts off what a segment has up to a position, if it has something behind it. To be run in a transaction. */
export const cutSegment = (connection: Connection, through: Position): void => {
  const cells = connection.row(segmentQuery, through + 1)
  if (cells === undefined) return
  const { count, first, last } = sizeOf(cells)
  const gone = through + 1 - first
  if (gone <= 0) return
  const indexes = Array.from({ length: count - gone }, (_, index) => gone + index)
  const numbers = (text: string): string => {
    const each = splitNumbers(text)
    return joinNumbers(indexes.map((index) => each(index) ?? ""))
  }
  connection.run(
    "UPDATE segments SET count = ?, correlations = ?, kinds = ?, hashes = ?, bodies = ? WHERE last = ?",
    count - gone,
    numbers(textAt(cells, 3)),
    numbers(textAt(cells, 4)),
    joinHashes(indexes.map((index) => hashAt(textAt(cells, 6), textAt(cells, 5), index, count))),
    splitBodies(textAt(cells, 7), count).slice(gone).join("\n"),
    last,
  )
}

/** The numbers of the correlations that have entries from one position to another. */
export const correlationsBetween = (connection: Connection, from: Position, to: Position): ReadonlySet<string> => {
  const found = new Set<string>()
  for (let at = from; at <= to;) {
    const cells = connection.row(segmentQuery, at)
    if (cells === undefined) break
    const { first, last } = sizeOf(cells)
    const correlation = splitNumbers(textAt(cells, 3))
    for (let position = Math.max(first, at); position <= Math.min(last, to); position++) {
      found.add(correlation(position - first) ?? "")
    }
    at = last + 1
  }
  return found
}
