/**
 * Counts the characters and lines of a script while it is printed, limits its length and keeps statements on the lines
 * of their source.
 *
 * @module
 */

/** The text is longer than allowed. */
export class TooLongError extends Error {}

/** The tree has no canonical text: it holds a bad substitution, or a here-document without its end. */
export class NotPrintableError extends Error {}

/** Counts printed text, which is passed in the order of the output. */
export class TextOutput {
  #left: number
  #line = 1
  readonly #lines: ReadonlyArray<number>

  /** @param source The text that the tree was parsed from; `undefined` to print without regard to its lines. */
  constructor(source: string | undefined, maxLength: number) {
    this.#left = maxLength
    this.#lines = source === undefined ? [] : [...source.matchAll(/\n/g)].map(({ index }) => index)
  }

  /** Counts a text and returns it. */
  put(text: string): string {
    // Empty texts count too, so that their number is bounded.
    this.#left -= text.length + 1
    if (this.#left < 0) throw new TooLongError()
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#line++
    return text
  }

  /** Returns at least `min` newlines, and more if the statement at `offset` of the source is on a later line. */
  lines(offset: number, min: number): string {
    return this.put("\n".repeat(Math.max(min, this.#lineOf(offset) - this.#line)))
  }

  #lineOf(offset: number): number {
    let low = 0
    let high = this.#lines.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#lines[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
