/**
 * Finds the changed lines of two texts with git's choice among equally short differences. The utility `diff` makes the
 * choice of GNU diff, which places changes differently. The limits, the discarding of lines and the indent heuristic are git's.
 */
import { type Change, collectChanges, makeSides, matchesIn } from "../../../diff/compareTexts.ts"
import { Differ, roughRoot } from "../../../diff/Differ.ts"
import type { DiffSide } from "../../../diff/DiffSide.ts"
import { ChangeGroups } from "./ChangeGroups.ts"

const maxEqualLines = 1_024
const scanWindow = 100
const runFactor = 4

/** Whether a line that occurs too often is dropped, because it is among lines without any match. */
const isAmongUnmatched = (kinds: Uint8Array, at: number, from: number, to: number): boolean => {
  const scan = (step: number, end: number): readonly [none: number, many: number] => {
    let [none, many] = [0, 1]
    for (let each = at + step; step < 0 ? each >= end : each <= end; each += step) {
      if (kinds[each] === 0) none++
      else if (kinds[each] === 2) many++
      else break
    }
    return [none, many]
  }
  const [noneBefore, manyBefore] = scan(-1, Math.max(from, at - scanWindow))
  if (noneBefore === 0) return false
  const [noneAfter, manyAfter] = scan(1, Math.min(to, at + scanWindow))
  if (noneAfter === 0) return false
  const [none, many] = [noneBefore + noneAfter, manyBefore + manyAfter]
  return many * runFactor < many + none
}

/** Drops lines that the other side does not have, or has too often. */
const discard = (side: DiffSide, other: DiffSide): void => {
  const matchesOf = matchesIn(side, other)
  const limit = Math.min(roughRoot(side.ids.length), maxEqualLines)
  const kinds = new Uint8Array(side.ids.length + 1)
  for (let at = side.from; at < side.to; at++) {
    const matches = matchesOf(at)
    kinds[at] = matches === 0 ? 0 : matches >= limit ? 2 : 1
  }
  side.keepLines((at) => kinds[at] === 1 || (kinds[at] === 2 && !isAmongUnmatched(kinds, at, side.from, side.to - 1)))
}

/** The changes between two lists of lines in order. `keyOf` returns the text to compare, such as a line without its blanks. */
export const diffTexts = async (
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  pause: () => Promise<void> | void,
  keyOf?: (line: string) => string,
): Promise<ReadonlyArray<Change>> => {
  const [x, y] = makeSides(one, two, keyOf)
  discard(x, y)
  discard(y, x)
  await new Differ(x, y, { minCost: 256, endsAtSnakes: true }, pause).run()
  const [groups, others] = [new ChangeGroups(x), new ChangeGroups(y)]
  groups.compact(others)
  others.compact(groups)
  return collectChanges(x, y)
}
