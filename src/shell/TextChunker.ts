/**
 * Decodes the bytes of one output pipe to text and cuts it into chunks.
 *
 * @module
 */
import { isAscii, minAsciiBytes } from "../base/asciiContent.ts"
import { encodeUtf8Into } from "../base/bytes.ts"
import { isHighSurrogate } from "../base/text.ts"
import type { Chunking } from "./Chunking.ts"
import { StreamDecoder } from "./StreamDecoder.ts"

/** The longest chunk of bytes: it fits into one entry of a journal. */
const maxAsciiBytes = 65_536

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

  /**
   * Takes bytes; calls `emit` for each chunk that is complete, or `emitAscii` for one of many whole lines that are ASCII in
   * UTF-8, with bytes of its own.
   */
  push(bytes: Uint8Array, emit: (content: string) => void, emitAscii?: (content: Uint8Array) => void): void {
    this.#begun = true
    const rest = emitAscii === undefined ? bytes : this.#pushAscii(bytes, emitAscii)
    if (rest.length === 0) return
    this.#cut(this.#decoder.push(rest), emit)
  }

  /** Emits copies of the whole lines of ASCII, and returns the bytes behind them. */
  #pushAscii(bytes: Uint8Array, emit: (content: Uint8Array) => void): Uint8Array {
    let rest = bytes
    if (rest.length < minAsciiBytes || !this.#chunking.atNewline || !this.#decoder.isUtf8) return rest
    if (!isAscii(rest)) return rest
    while (rest.length >= minAsciiBytes && this.#decoder.isAtCharacter && this.#held.length < maxAsciiBytes) {
      const held = this.#held
      const newline = rest.lastIndexOf(newlineByte, maxAsciiBytes - held.length - 1)
      if (newline < 0) return rest
      const whole = new Uint8Array(held.length + newline + 1)
      if (held !== "") {
        const { read, written } = encodeUtf8Into(held, whole)
        if (read < held.length || written > held.length) return rest
      }
      whole.set(rest.subarray(0, newline + 1), held.length)
      this.#held = ""
      emit(whole)
      rest = rest.subarray(newline + 1)
    }
    return rest
  }

  #cut(decoded: string, emit: (content: string) => void): void {
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
      // A maximum of one unit, and a character of two: the character stays whole.
      const cut = end === 0 ? 2 : end
      if (cut > this.#held.length) return
      emit(this.#held.slice(0, cut))
      this.#held = this.#held.slice(cut)
    }
  }

  /** Emits the held text. */
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

const newlineByte = 0x0a
