/**
 * Search for many texts at once.
 *
 * @module
 */

/** A text that must not stand anywhere, and what stands there instead. */
export interface LiteralPattern {
  readonly text: string
  readonly marker: string
  /** It may stand anywhere, and is found to look closer there. */
  readonly isHint?: boolean
}

/** A needle, and where it was found. */
export interface LiteralMatch {
  readonly start: number
  readonly end: number
  readonly marker: string
  readonly isHint?: boolean
}

/** Longest beginning of the needles that is looked for first. */
const maxWindow = 64

/** At the end of a text, a beginning of a needle is taken for the needle if it has at least so many characters. */
const minBeginning = 8

/**
 * Looks for many needles at once. It compares pairs of characters at the end of a window as long as the shortest needle,
 * and moves the window as far as no needle can be missed, so most characters are never looked at, however many needles
 * there are.
 *
 * Source: Wu and Manber, "A fast algorithm for multi-pattern searching" (1994).
 */
export class MultiPatternMatcher {
  readonly #all: ReadonlyArray<LiteralPattern>
  /** Length of the longest needle. */
  readonly longest: number
  /** Of a pair of characters, so many bits of the first count beside the second: more for many needles. */
  readonly #bits: number
  readonly #mask: number
  readonly #window: number
  /** How far the window may move when it ends with a pair. */
  readonly #shifts: Uint8Array
  /** Needles whose window ends with a pair, the longest first. */
  readonly #ending = new Map<number, Array<LiteralPattern>>()

  constructor(all: ReadonlyArray<LiteralPattern>) {
    this.#all = all.filter(({ isHint }) => isHint !== true)
    this.longest = this.#all.reduce((longest, { text }) => Math.max(longest, text.length), 0)
    const window = all.reduce((shortest, { text }) => Math.min(shortest, text.length), maxWindow)
    if (window < 2) throw new RangeError("a needle has at least 2 characters")
    this.#window = window
    this.#bits = all.length * window > 256 ? 8 : 5
    this.#mask = (1 << (this.#bits + (this.#bits === 8 ? 8 : 7))) - 1
    this.#shifts = new Uint8Array(this.#mask + 1).fill(window - 1)
    for (const needle of all) {
      for (let at = 1; at < window; at++) {
        const pair = this.#pair(needle.text, at)
        this.#shifts[pair] = Math.min(this.#shifts[pair] ?? 0, window - 1 - at)
      }
      const last = this.#pair(needle.text, window - 1)
      const ending = this.#ending.get(last) ?? []
      ending.push(needle)
      this.#ending.set(last, ending.sort((a, b) => b.text.length - a.text.length))
    }
  }

  #pair(text: string, at: number): number {
    return ((text.charCodeAt(at - 1) << this.#bits) ^ text.charCodeAt(at)) & this.#mask
  }

  /** The first needle that starts at or after an index, and the longest of those that start there. */
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
      for (const needle of this.#ending.get(pair) ?? []) {
        if (text.startsWith(needle.text, start)) {
          const end = start + needle.text.length
          return needle.isHint === true
            ? { start, end, marker: "", isHint: true }
            : { start, end, marker: needle.marker }
        }
      }
      at++
    }
    return undefined
  }

  /** The first index from which on the rest of a text is the beginning of a needle, but not all of it; else its end. */
  pending(text: string): number {
    let pending = text.length
    for (const { text: needle } of this.#all) {
      const first = needle.charAt(0)
      let start = text.indexOf(first, Math.max(0, text.length - needle.length + 1))
      while (start >= 0 && start < pending) {
        if (needle.startsWith(text.slice(start))) pending = start
        start = text.indexOf(first, start + 1)
      }
    }
    return pending
  }

  /** Most of a needle, at the end of a text where it was cut off. */
  cutOff(text: string): LiteralMatch | undefined {
    let found: LiteralMatch | undefined
    for (const { marker, text: needle } of this.#all) {
      const least = Math.max(minBeginning, Math.ceil(needle.length / 2))
      for (let length = Math.min(needle.length - 1, text.length); length >= least; length--) {
        const start = text.length - length
        if (found !== undefined && start >= found.start) break
        if (text.startsWith(needle.slice(0, length), start)) found = { start, end: text.length, marker }
      }
    }
    return found
  }
}
