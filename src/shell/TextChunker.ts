/** Decodes the bytes of one output pipe to text and cuts it into chunks. */
import { isHighSurrogate } from "../base/text.ts"
import type { Chunking } from "./Chunking.ts"
import { StreamDecoder } from "./StreamDecoder.ts"

/**
 * Decodes one stream and cuts it by a {@link Chunking}. Each stream has its own: UTF-8 that is split across reads,
 * or across stdout and stderr, stays whole. A byte-order mark and `\r\n` are kept as they are.
 */
export class TextChunker {
  readonly #chunking: Chunking
  readonly #decoder: StreamDecoder
  #held = ""
  #begun = false

  constructor(chunking: Chunking, encoding: string) {
    this.#chunking = chunking
    this.#decoder = new StreamDecoder(encoding)
  }

  /** Whether output is held back until it is complete or flushed. */
  get holds(): boolean {
    return this.#held !== ""
  }

  /** Takes bytes; calls `emit` for each chunk that is complete. */
  push(bytes: Uint8Array, emit: (content: string) => void): void {
    this.#begun = true
    if (bytes.length === 0) return
    const decoded = this.#decoder.push(bytes)
    const { atNewline, maxLength } = this.#chunking
    if (atNewline) {
      const newline = decoded.lastIndexOf("\n")
      if (newline >= 0) {
        const whole = newline + 1 === decoded.length ? decoded : decoded.slice(0, newline + 1)
        emit(this.#held === "" ? whole : this.#held + whole)
        this.#held = newline + 1 === decoded.length ? "" : decoded.slice(newline + 1)
      } else {
        this.#held += decoded
      }
      if (this.#held.length >= maxLength) this.flush(emit)
      return
    }
    this.#held += decoded
    while (this.#held.length >= maxLength) {
      const end = isHighSurrogate(this.#held.charCodeAt(maxLength - 1)) ? maxLength - 1 : maxLength
      // The maximum is one unit and the character has two: the character stays whole.
      const cut = end === 0 ? 2 : end
      if (cut > this.#held.length) return
      emit(this.#held.slice(0, cut))
      this.#held = this.#held.slice(cut)
    }
  }

  flush(emit: (content: string) => void): void {
    if (this.#held === "") return
    const content = this.#held
    this.#held = ""
    emit(content)
  }

  /** Ends the stream: emits all held text, an incomplete character as U+FFFD. */
  end(emit: (content: string) => void): void {
    if (!this.#begun) return
    this.#held += this.#decoder.end()
    this.flush(emit)
  }
}
