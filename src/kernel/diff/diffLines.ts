/** Finds the changed lines of two texts, and moves and joins them as GNU diff does. */
import { type Change, collectChanges, makeSides, matchesIn } from "./compareTexts.ts"
import { Differ } from "./Differ.ts"
import type { DiffSide } from "./DiffSide.ts"

/** The changes in order. `pause` lets other processes run. */
export const diffLines = async (
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  pause: () => Promise<void> | void,
): Promise<ReadonlyArray<Change>> => {
  const [x, y] = makeSides(one, two)
  const [inSecond, inFirst] = [matchesIn(x, y), matchesIn(y, x)]
  // Lines that the other text does not have would only make the search longer.
  x.keepLines((line) => inSecond(line) > 0)
  y.keepLines((line) => inFirst(line) > 0)
  await new Differ(x, y, { minCost: 4_096, endsAtSnakes: false }, pause).run()
  shift(x, y)
  shift(y, x)
  return collectChanges(x, y)
}

const move = (side: DiffSide, from: number, to: number): void => {
  side.mark(from, false)
  side.mark(to, true)
}

/** Moves runs of changes so that they join others, or as far down as possible. Source: GNU diffutils, `shift_boundaries`. */
const shift = (side: DiffSide, other: DiffSide): void => {
  const { from, ids: lines, to: end } = side
  let [i, j] = [from, other.from]
  for (;;) {
    while (i < end && !side.isChanged(i)) {
      while (other.isChanged(j++)) continue
      i++
    }
    if (i === end) return
    let start = i
    while (side.isChanged(++i)) continue
    while (other.isChanged(j)) j++
    let corresponding = end
    let length: number
    do {
      length = i - start
      while (start > from && lines[start - 1] === lines[i - 1]) {
        move(side, --i, --start)
        while (side.isChanged(start - 1)) start--
        while (other.isChanged(--j)) continue
      }
      corresponding = other.isChanged(j - 1) ? i : end
      while (i !== end && lines[start] === lines[i]) {
        move(side, start++, i++)
        while (side.isChanged(i)) i++
        while (other.isChanged(++j)) corresponding = i
      }
    } while (length !== i - start)
    while (corresponding < i) {
      move(side, --i, --start)
      while (other.isChanged(--j)) continue
    }
  }
}
