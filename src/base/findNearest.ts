/** Finds the text most similar to another by edit distance, for "did you mean" messages. */
import { quote } from "./quote.ts"

/** Maximum characters to compare of each text, which bounds the time. */
const comparedLength = 200

const comparedTexts = 1_000

/**
 * The number of characters to insert, delete or replace to turn one text into the other.
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

/** Finds the text most similar to `text`, the first of equals; `undefined` if there are no others. */
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

/** Minimum length of a text that other texts may be typos of: `cmd` is not a typo of `cwd`. */
const minSimilarLength = 4

/** Finds the text that `text` may be a typo of: the nearest, if at most half of its characters differ. */
export const findSimilar = (text: string, others: Iterable<string>): string | undefined => {
  const start = text.slice(0, comparedLength)
  const like = findNearest(start, others)
  if (like === undefined || like.length < minSimilarLength) return undefined
  return editDistance(start, like.slice(0, comparedLength)) > like.length / 2 ? undefined : like
}

/** The end of a message about an unknown name: `; did you mean "X" or "Y"?`, or nothing if no name is similar. */
export const didYouMean = (
  meant: string | ReadonlyArray<string> | undefined,
  [before, after]: readonly [string, string] = ["; ", ""],
): string =>
  meant === undefined || meant.length === 0
    ? ""
    : `${before}did you mean ${[meant].flat().map((name) => quote(name)).join(" or ")}?${after}`
