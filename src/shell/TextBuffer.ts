/** Keeps an output as text while it is valid UTF-8 within its limit; otherwise its first and last bytes. */
import { emptyBytes, encodeUtf8 } from "../base/bytes.ts"
import { decodeUtf8 } from "../base/decodeUtf8.ts"
import { HeadTailBuffer, type KeptOutput, trimEnd } from "./HeadTailBuffer.ts"

const blockBytes = 65_536

/** Maximum number of kept bytes: the longest string of V8 has 2 ** 29 - 24 units. */
const maxTextBytes = 511 * 1024 * 1024

/**
 * Keeps the same bytes as a {@link HeadTailBuffer}, and returns a large text sooner: each block is decoded while it is in
 * the processor's cache. The bytes are not kept besides the text, which can be encoded again.
 */
export class TextBuffer {
  readonly #limit: number
  readonly #encoding: string
  #parts: Array<string> = []
  #block = emptyBytes
  #used = 0
  #bytes = 0
  /** Holds the output once it cannot be kept as text. */
  #raw: HeadTailBuffer | undefined

  constructor(limitBytes: number, encoding: string) {
    this.#limit = Math.min(limitBytes, maxTextBytes)
    this.#encoding = encoding
    if (encoding !== "utf-8") this.#keepBytes()
  }

  /** Number of bytes pushed, kept or not. */
  get bytes(): number {
    return this.#raw?.bytes ?? this.#bytes
  }

  /** Appends bytes; the kept ones are copied. */
  push(piece: Uint8Array): void {
    let rest = piece
    while (this.#raw === undefined && rest.length > 0) {
      if (this.#bytes + rest.length > this.#limit) this.#keepBytes()
      else {
        rest = this.#fill(rest)
        if (this.#used === blockBytes) this.#decodeBlock(trimEnd(this.#block, "utf-8").length)
      }
    }
    if (rest.length > 0) this.#raw?.push(rest)
  }

  /** Copies bytes into the block; returns those for which it has no room. */
  #fill(piece: Uint8Array): Uint8Array {
    const taken = Math.min(piece.length, blockBytes - this.#used)
    const used = this.#used + taken
    if (used > this.#block.length) {
      const grown = new Uint8Array(Math.max(used, Math.min(blockBytes, 2 * this.#block.length)))
      grown.set(this.#block.subarray(0, this.#used))
      this.#block = grown
    }
    this.#block.set(taken === piece.length ? piece : piece.subarray(0, taken), this.#used)
    this.#used = used
    this.#bytes += taken
    return piece.subarray(taken)
  }

  #decodeBlock(length: number): void {
    const text = decodeUtf8(this.#block.subarray(0, length))
    // Only valid text encodes to the same bytes again.
    if (text === undefined) return this.#keepBytes()
    this.#parts.push(text)
    this.#block.copyWithin(0, length, this.#used)
    this.#used -= length
  }

  #keepBytes(): void {
    const raw = new HeadTailBuffer(this.#limit)
    for (const part of this.#parts) raw.push(encodeUtf8(part))
    raw.push(this.#block.subarray(0, this.#used))
    this.#raw = raw
    this.#parts = []
    this.#block = emptyBytes
    this.#used = 0
  }

  /** The kept text; see {@link HeadTailBuffer.take}. */
  take(): KeptOutput {
    if (this.#used > 0) this.#decodeBlock(this.#used)
    if (this.#raw !== undefined) return this.#raw.take(this.#encoding)
    const [only = ""] = this.#parts
    const text = this.#parts.length < 2 ? only : this.#parts.join("")
    this.#parts = [text]
    return { text, bytesOmitted: 0 }
  }

  /** The bytes that were kept, head and tail joined. */
  takeBytes(): { readonly bytes: Uint8Array; readonly bytesOmitted: number } {
    const { text } = this.#raw === undefined ? this.take() : { text: "" }
    return this.#raw?.takeBytes() ?? { bytes: encodeUtf8(text), bytesOmitted: 0 }
  }
}
