/** Finds the first index after a position in an ascending sequence of positions, by binary search. */
import type { Position } from "./Entry.ts"

/** The smallest index whose position is greater than `after`; `count` when there is none. */
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
