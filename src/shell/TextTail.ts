/** Keeps the last text of a streamed command within a limit, for the fault that may end it. */
import { cutAfter } from "../base/text.ts"
import { utf8Length } from "../base/utf8.ts"
import { isMultibyte, type KeptOutput } from "./HeadTailBuffer.ts"

/** The number of bytes of a text: exact in UTF-8 and UTF-16, approximate in other encodings. */
const byteLength = (text: string, encoding: string): number =>
  encoding === "utf-8"
    ? utf8Length(text)
    : encoding.startsWith("utf-16")
    ? text.length * 2
    : isMultibyte(encoding)
    ? text.length + (text.match(/[^\0-\x7f]/g)?.length ?? 0)
    : text.length

/** Keeps the last pieces of text, at most about `limit` UTF-16 units. Bytes are counted only at the end. */
export class TextTail {
  readonly #limit: number
  readonly #encoding: string
  #pieces: Array<string> = []
  #length = 0
  #dropped = false

  constructor(limit: number, encoding: string) {
    this.#limit = limit
    this.#encoding = encoding
  }

  push(text: string): void {
    this.#pieces.push(text)
    this.#length += text.length
    // Drops the front only at twice the limit, so that the cost is amortized.
    if (this.#length > 2 * this.#limit + 65_536) this.#drop()
  }

  #drop(): void {
    let from = 0
    for (let piece = this.#pieces[0]; piece !== undefined && this.#length - piece.length >= this.#limit;) {
      this.#length -= piece.length
      piece = this.#pieces[++from]
    }
    if (from === 0) return
    this.#dropped = true
    this.#pieces = this.#pieces.slice(from)
  }

  /** The text that was kept, of a stream of `bytes` bytes in all. */
  take(bytes: number): KeptOutput {
    this.#drop()
    let text = this.#pieces.join("")
    if (text.length > this.#limit) {
      this.#dropped = true
      text = text.slice(cutAfter(text, text.length - this.#limit))
    }
    return { text, bytesOmitted: this.#dropped ? Math.max(0, bytes - byteLength(text, this.#encoding)) : 0 }
  }
}
