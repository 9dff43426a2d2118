/** Groups changes to hunks with lines of context, and drops those that options ignore. */
import type { Change } from "./compareTexts.ts"

/** Changes that are shown together, and the range of lines of each file with the context. */
export interface Hunk {
  readonly changes: ReadonlyArray<Change>
  readonly from: number
  readonly to: number
  readonly otherFrom: number
  readonly otherTo: number
}

/** Groups changes with at most twice the context between them; `isIgnored` tells which changes alone make no hunk. */
export const groupHunks = (
  changes: ReadonlyArray<Change>,
  context: number,
  sizes: readonly [number, number],
  isIgnored: (change: Change) => boolean,
): ReadonlyArray<Hunk> => {
  const hunks: Array<Hunk> = []
  for (let at = 0; at < changes.length;) {
    let end = at + 1
    // An ignored change joins a hunk only if it is within the context itself.
    const gap = (): number => {
      const next = changes[end]
      return next !== undefined && isIgnored(next) ? context : 2 * context + 1
    }
    while (end < changes.length && (changes[end]?.a ?? 0) - (changes[end - 1]?.aEnd ?? 0) < gap()) end++
    const group = changes.slice(at, end)
    at = end
    const [first, last] = [group[0], group.at(-1)]
    if (first === undefined || last === undefined || group.every(isIgnored)) continue
    hunks.push({
      changes: group,
      from: Math.max(0, first.a - context),
      otherFrom: Math.max(0, first.b - context),
      to: Math.min(sizes[0], last.aEnd + context),
      otherTo: Math.min(sizes[1], last.bEnd + context),
    })
  }
  return hunks
}
