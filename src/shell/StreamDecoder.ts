/** Decodes text that arrives in pieces. */
import { isContinuation } from "../base/utf8.ts"
import { trimEnd } from "./HeadTailBuffer.ts"

/** Bytes from which on a piece is decoded in one pass. */
const largeBytes = 4_096

const streaming = { stream: true } as const

/**
 * A streaming `TextDecoder`, which keeps a byte-order mark. On Deno a streaming decoder takes six times as long for
 * text that is not ASCII as one that does not stream, so streaming decodes only the characters that are split between
 * large pieces.
 */
export class StreamDecoder {
  readonly #decoder: TextDecoder
  readonly #isUtf8: boolean
  #isAtCharacter = true

  constructor(encoding: string) {
    this.#decoder = new TextDecoder(encoding, { ignoreBOM: true })
    this.#isUtf8 = this.#decoder.encoding === "utf-8"
  }

  /** Decodes the next piece; an incomplete character is returned with a later piece. */
  push(bytes: Uint8Array): string {
    if (!this.#isUtf8 || bytes.length < largeBytes) {
      this.#isAtCharacter = (bytes[bytes.length - 1] ?? 0xff) < 0x80
      return this.#decoder.decode(bytes, streaming)
    }
    let start = 0
    while (!this.#isAtCharacter && start < 3 && isContinuation(bytes[start])) start++
    const split = this.#isAtCharacter ? "" : this.#decoder.decode(bytes.subarray(0, start))
    const end = trimEnd(bytes, "utf-8").length
    const text = split + this.#decoder.decode(bytes.subarray(start, end))
    this.#isAtCharacter = end === bytes.length
    return this.#isAtCharacter ? text : text + this.#decoder.decode(bytes.subarray(end), streaming)
  }

  /** Ends the text: an incomplete character becomes U+FFFD. */
  end(): string {
    return this.#decoder.decode()
  }
}
