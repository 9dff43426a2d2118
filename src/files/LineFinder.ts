/**
 * Finds a sequence of lines in a text: first exactly, then ignoring white space at line ends, then ignoring
 * indentation.
 *
 * The order of these comparisons, and their costs, follow OpenAI's reference implementation of V4A patches.
 */

/** The place of found lines, and their distance from the wanted ones. */
export interface Place {
  readonly index: number
  readonly fuzz: number
}

const sameLine = (text: string): string => text
const levels: ReadonlyArray<readonly [fuzz: number, view: (text: string) => string]> = [
  [0, sameLine],
  [1, (text) => text.trimEnd()],
  [100, (text) => text.trim()],
]

/** The penalty of a match that is not at the end of the file, where its section requires that. */
const notAtEnd = 10_000

/**
 * The first index from `from` on at which the lines occur; -1 if they do not. The time grows with the sum of both
 * lengths, even if many lines are equal.
 *
 * Source: Knuth, Morris, Pratt, "Fast Pattern Matching in Strings", 1977.
 */
const indexOfLines = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>, from: number): number => {
  const borders: Array<number> = [0]
  for (let at = 1, border = 0; at < wanted.length; at++) {
    while (border > 0 && wanted[at] !== wanted[border]) border = borders[border - 1] ?? 0
    if (wanted[at] === wanted[border]) border++
    borders.push(border)
  }
  for (let at = from, matched = 0; at < lines.length; at++) {
    while (matched > 0 && lines[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0
    if (lines[at] === wanted[matched]) matched++
    if (matched === wanted.length) return at - matched + 1
  }
  return -1
}

/** Maximum number of line comparisons for one change, all sections together. */
const maxComparisons = 50_000_000

export class LineFinder {
  readonly lines: ReadonlyArray<string>
  readonly #views = new Map<number, ReadonlyArray<string>>()
  #compared = 0

  constructor(lines: ReadonlyArray<string>) {
    this.lines = lines
  }

  /** Whether the maximum number of comparisons is used up, so that nothing more is found. */
  get isSpent(): boolean {
    return this.#compared > maxComparisons
  }

  find(wanted: ReadonlyArray<string>, from: number): Place | undefined {
    if (wanted.length === 0) return { index: from, fuzz: 0 }
    for (const [fuzz, view] of levels) {
      const lines = this.#views.get(fuzz) ?? this.lines.map(view)
      this.#views.set(fuzz, lines)
      const index = indexOfLines(lines, wanted.map(view), from)
      this.#compared += (index < 0 ? lines.length : index + wanted.length) - from
      if (this.isSpent) return undefined
      if (index >= 0) return { index, fuzz }
    }
    return undefined
  }

  findSection(wanted: ReadonlyArray<string>, from: number, isAtEnd: boolean): Place | undefined {
    if (!isAtEnd) return this.find(wanted, from)
    const last = this.find(wanted, Math.max(from, this.lines.length - wanted.length))
    if (last !== undefined) return last
    const earlier = this.find(wanted, from)
    return earlier && { ...earlier, fuzz: earlier.fuzz + notAtEnd }
  }

  afterAnchor(anchor: string, from: number): Place | undefined {
    const place = this.find([anchor], from)
    return place && { index: place.index + 1, fuzz: Math.min(place.fuzz, 1) }
  }
}
