/** Chooses the line breaks of a paragraph as GNU fmt does. Source: fmt.c of coreutils, after Knuth, "Breaking Paragraphs Into Lines". */

export interface FmtWord {
  readonly text: string
  /** Columns after it. */
  space: number
  readonly isOpening: boolean
  readonly endsInPunctuation: boolean
  endsInPeriod: boolean
  /** Whether it ends a sentence. */
  isFinal: boolean
}

export interface FmtWidths {
  readonly max: number
  readonly goal: number
}

/** The first word of the next line, the cost of all lines from here, and the length of this one. */
interface Break {
  next: number
  cost: number
  length: number
}

const square = (value: number): number => value * value
const shortCost = (columns: number): number => square(columns * 10)
const raggedCost = (columns: number): number => shortCost(columns) / 2
const lineCost = square(70)
const lineCredit = square(3)
const maxCost = Number.MAX_SAFE_INTEGER

/** The cost of a line that starts with a word. */
const baseCost = (words: ReadonlyArray<FmtWord>, at: number): number => {
  const [word, before, earlier] = [words[at], words[at - 1], words[at - 2]]
  let cost = lineCost
  if (before !== undefined) {
    if (before.endsInPeriod) cost += before.isFinal ? -square(50) : square(600)
    else if (before.endsInPunctuation) cost -= square(40)
    else if (earlier?.isFinal === true) cost += square(200) / (before.text.length + 2)
  }
  if (word?.isOpening === true) cost -= square(40)
  else if (word?.isFinal === true) cost += square(150) / (word.text.length + 2)
  return cost
}

/** Finds the breaks of the words, from the last one back. */
export const breakLines = (
  words: ReadonlyArray<FmtWord>,
  widths: FmtWidths,
  indents: { readonly first: number; readonly other: number },
  lastLineLength: number,
): ReadonlyArray<Break> => {
  const end = words.length
  const breaks: Array<Break> = Array.from({ length: end + 1 }, () => ({ next: end, cost: 0, length: 0 }))
  for (let start = end - 1; start >= 0; start--) {
    const here = breaks[start] ?? { next: end, cost: 0, length: 0 }
    let best = maxCost
    let length = (start === 0 ? indents.first : indents.other) + (words[start]?.text.length ?? 0)
    for (let at = start + 1;; at++) {
      const next = breaks[at]
      let cost = next?.cost ?? 0
      if (at < end) {
        cost += shortCost(widths.goal - length)
        if (next !== undefined && next.next !== end) cost += raggedCost(length - next.length)
      }
      if (start === 0 && lastLineLength > 0) cost += raggedCost(length - lastLineLength)
      if (cost < best) {
        best = cost
        here.next = at
        here.length = length
      }
      if (at === end) break
      length += (words[at - 1]?.space ?? 1) + (words[at]?.text.length ?? 0)
      if (length >= widths.max) break
    }
    here.cost = best + baseCost(words, start)
  }
  return breaks
}

/** The word up to which the lines of an overlong paragraph are written. */
export const splitPoint = (breaks: ReadonlyArray<Break>): number => {
  const end = breaks.length - 1
  let [point, best] = [end, maxCost]
  for (let at = breaks[0]?.next ?? end; at < end; at = breaks[at]?.next ?? end) {
    const cost = (breaks[at]?.cost ?? 0) - (breaks[breaks[at]?.next ?? end]?.cost ?? 0)
    if (cost < best) [point, best] = [at, cost]
    if (best <= maxCost - lineCredit) best += lineCredit
  }
  return point
}
