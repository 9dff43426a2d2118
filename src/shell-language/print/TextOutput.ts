/**
 * Bounded text output that keeps statements on their lines.
 *
 * @module
 */

/** The text became longer than allowed. */
export class TooLong extends Error {}

/** A tree has no canonical text: a bad substitution, or a here-document without its end. */
export class NotPrintable extends Error {}

/** Counts what is written, in the order of the output. */
export abstract class TextOutput {
  #left: number
  #line = 1
  readonly #lines: ReadonlyArray<number>

  /** @param source the text that the spans of the tree count in; `undefined`: the places of lines are not kept */
  constructor(source: string | undefined, maxLength: number) {
    this.#left = maxLength
    this.#lines = source === undefined ? [] : [...source.matchAll(/\n/g)].map(({ index }) => index)
  }

  /** A text that is written now. */
  protected put(text: string): string {
    // Each piece counts, or else an empty one could be written without end.
    this.#left -= text.length + 1
    if (this.#left < 0) throw new TooLong()
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#line++
    return text
  }

  /** At least `least` newlines, and more where the statement at `offset` of the source stood on a later line. */
  protected lines(offset: number, least: number): string {
    return this.put("\n".repeat(Math.max(least, this.#lineOf(offset) - this.#line)))
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
