/**
 * Where to begin in a list that ascends.
 *
 * @module
 */
import type { Position } from "./Entry.ts"

/** The first index whose item is beyond a position, in positions that ascend. */
export const upperBound = (count: number, positionAt: (index: number) => Position, after: Position): number => {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (positionAt(middle) > after) high = middle
    else low = middle + 1
  }
  return low
}
