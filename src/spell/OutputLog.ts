/** Keeps the end of an output that grows, and reads it page by page from a position. */
import { cutAfter } from "../base/text.ts"

export interface OutputPage {
  readonly text: string
  /** Position of the next read, in UTF-16 units from the start. */
  readonly position: number
  /** Number of units before the text that are no longer kept. */
  readonly omitted: number
}

/** The last `maxLength` UTF-16 units of an output. */
export class OutputLog {
  readonly #maxLength: number
  #text = ""
  #start = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  /** Units that were written, kept or not. */
  get end(): number {
    return this.#start + this.#text.length
  }

  get length(): number {
    return this.#text.length
  }

  push(text: string): void {
    this.#text += text
    // The front is dropped only at twice the limit, so that the cost of a piece does not grow with the kept length.
    if (this.#text.length > this.#maxLength * 2) this.#drop()
  }

  /** Text from a position: at most `maxLength` units, or one more where a character would be split. */
  read(position: number, maxLength: number): OutputPage {
    if (this.#text.length > this.#maxLength) this.#drop()
    const from = Math.min(Math.max(position - this.#start, 0), this.#text.length)
    const begin = cutAfter(this.#text, from)
    const end = cutAfter(this.#text, Math.min(begin + maxLength, this.#text.length))
    return {
      text: this.#text.slice(begin, end),
      position: this.#start + end,
      omitted: Math.max(0, this.#start - position),
    }
  }

  #drop(): void {
    const cut = cutAfter(this.#text, this.#text.length - this.#maxLength)
    this.#text = this.#text.slice(cut)
    this.#start += cut
  }
}
