/** Searches a text for many literal patterns at once, and for a pattern that the end of the text cuts off. */
export interface LiteralPattern {
  readonly text: string
  readonly marker: string
}

export interface LiteralMatch {
  readonly start: number
  /** Exclusive. */
  readonly end: number
  readonly marker: string
}

/** Maximum number of characters of the patterns that the search window covers. */
const maxWindow = 64

/** Minimum number of characters of a pattern, at the end of a text, that count as a truncated match. */
const minTruncatedLength = 8

/**
 * Searches for many patterns at once. It compares pairs of characters at the end of a window as long as the shortest
 * pattern, and moves the window as far as no pattern can be missed: most characters are never read, however many patterns
 * there are.
 *
 * Source: Wu and Manber, "A fast algorithm for multi-pattern searching" (1994).
 */
export class MultiPatternMatcher {
  readonly #patterns: ReadonlyArray<LiteralPattern>
  /** Number of bits of a pair's first character that are kept beside the second: more for many patterns. */
  readonly #bits: number
  readonly #mask: number
  readonly #window: number
  /** Distance that the window can move when it ends with a pair. */
  readonly #shifts: Uint8Array
  /** Patterns whose window ends with a pair, the longest first. */
  readonly #byLastPair = new Map<number, Array<LiteralPattern>>()

  /** Every pattern must have two characters or more. */
  constructor(patterns: ReadonlyArray<LiteralPattern>) {
    this.#patterns = patterns
    const window = patterns.reduce((min, { text }) => Math.min(min, text.length), maxWindow)
    if (window < 2) throw new RangeError("a pattern has at least 2 characters")
    this.#window = window
    this.#bits = patterns.length * window > 256 ? 8 : 5
    this.#mask = (1 << (this.#bits + (this.#bits === 8 ? 8 : 7))) - 1
    this.#shifts = new Uint8Array(this.#mask + 1).fill(window - 1)
    for (const pattern of patterns) {
      for (let at = 1; at < window; at++) {
        const pair = this.#pairAt(pattern.text, at)
        this.#shifts[pair] = Math.min(this.#shifts[pair] ?? 0, window - 1 - at)
      }
      const last = this.#pairAt(pattern.text, window - 1)
      const sameEnd = this.#byLastPair.get(last) ?? []
      sameEnd.push(pattern)
      this.#byLastPair.set(last, sameEnd.sort((a, b) => b.text.length - a.text.length))
    }
  }

  #pairAt(text: string, at: number): number {
    return ((text.charCodeAt(at - 1) << this.#bits) ^ text.charCodeAt(at)) & this.#mask
  }

  /** The first match that starts at or after an index; of several that start there, the longest. */
  find(text: string, from: number): LiteralMatch | undefined {
    const bits = this.#bits
    const { length } = text
    const mask = this.#mask
    const shifts = this.#shifts
    const window = this.#window
    let at = from + window - 1
    while (at < length) {
      const pair = ((text.charCodeAt(at - 1) << bits) ^ text.charCodeAt(at)) & mask
      const shift = shifts[pair] ?? 1
      if (shift > 0) {
        at += shift
        continue
      }
      const start = at - window + 1
      for (const pattern of this.#byLastPair.get(pair) ?? []) {
        if (text.startsWith(pattern.text, start)) {
          return { start, end: start + pattern.text.length, marker: pattern.marker }
        }
      }
      at++
    }
    return undefined
  }

  /** All matches, ascending by start; they may overlap. */
  findAll(text: string, from: number): ReadonlyArray<LiteralMatch> {
    const all: Array<LiteralMatch> = []
    let match = this.find(text, from)
    while (match !== undefined) {
      all.push(match)
      match = this.find(text, match.start + 1)
    }
    return all
  }

  /** The first index from which the rest of the text may be the start of a pattern; the text's length when none is. */
  findPartial(text: string): number {
    let partial = text.length
    for (const { text: pattern } of this.#patterns) {
      const first = pattern.charAt(0)
      let start = text.indexOf(first, Math.max(0, text.length - pattern.length + 1))
      while (start >= 0 && start < partial) {
        if (pattern.startsWith(text.slice(start))) partial = start
        start = text.indexOf(first, start + 1)
      }
    }
    return partial
  }

  /** Finds a pattern at the end of the text that is cut off by less than half. */
  findTruncated(text: string): LiteralMatch | undefined {
    let match: LiteralMatch | undefined
    for (const { marker, text: pattern } of this.#patterns) {
      const minLength = Math.max(minTruncatedLength, Math.ceil(pattern.length / 2))
      for (let length = Math.min(pattern.length - 1, text.length); length >= minLength; length--) {
        const start = text.length - length
        if (match !== undefined && start >= match.start) break
        if (text.startsWith(pattern.slice(0, length), start)) match = { start, end: text.length, marker }
      }
    }
    return match
  }
}
