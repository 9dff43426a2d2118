/**
 * Finds the text most similar to another by edit distance, for "did you mean" messages.
 *
 * @module
 */

/** Characters that are compared: beyond, a line is told apart by its beginning, and the time stays bounded. */
const comparedLength = 200

/** Texts that are compared: the first so many. */
const comparedTexts = 1_000

/**
 * How many characters have to be put in, taken out or replaced to make one text of the other.
 *
 * Source: V. Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals" (1966).
 */
export const editDistance = (a: string, b: string): number => {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const line = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      line.push(Math.min(replaced, (above[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1))
    }
    above = line
  }
  return above[b.length] ?? 0
}

/** The text that is most like `text`, the first of equals; `undefined` when there is none at all. */
export const findNearest = (text: string, others: Iterable<string>): string | undefined => {
  const start = text.slice(0, comparedLength)
  let best: { readonly other: string; readonly distance: number } | undefined
  let compared = 0
  for (const other of new Set(others)) {
    if (++compared > comparedTexts) break
    const measured = editDistance(start, other.slice(0, comparedLength))
    if (best === undefined || measured < best.distance) best = { other, distance: measured }
  }
  return best?.other
}

/** The text that `text` may be a slip for: the nearest, where at most half of it is other. */
export const findSimilar = (text: string, others: Iterable<string>): string | undefined => {
  const start = text.slice(0, comparedLength)
  const like = findNearest(start, others)
  return like === undefined || editDistance(start, like.slice(0, comparedLength)) > like.length / 2 ? undefined : like
}
