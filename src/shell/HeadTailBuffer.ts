/** Keeps the first and the last bytes of an output within a limit (a head-tail buffer). */
import { concatBytes } from "../base/bytes.ts"
import { isHighSurrogate, isLowSurrogate } from "../base/text.ts"
import { isContinuation } from "../base/utf8.ts"

/** The kept text, and the number of dropped bytes. */
export interface KeptOutput {
  readonly text: string
  readonly bytesOmitted: number
}

export const omissionLine = (bytesOmitted: number): string => `\n[… ${bytesOmitted} bytes left out …]\n`

const smallBytes = 4_096
const blockBytes = 16_384

const isUtf8 = (encoding: string): boolean => encoding === "utf-8"

/** Keeps the first and the last half of `limit` bytes of a stream of bytes. The pieces are joined once, at the end. */
export class HeadTailBuffer {
  readonly #limit: number
  readonly #headLimit: number
  readonly #head: Array<Uint8Array> = []
  readonly #tail: Array<Uint8Array> = []
  #block = new Uint8Array(0)
  #used = 0
  #headBytes = 0
  #tailBytes = 0
  #first = 0
  /** Number of bytes pushed, kept or not. */
  bytes = 0

  constructor(limitBytes: number) {
    this.#limit = limitBytes
    this.#headLimit = Math.ceil(limitBytes / 2)
  }

  /** Appends bytes; the kept ones are copied. */
  push(piece: Uint8Array): void {
    if (piece.length === 0) return
    this.bytes += piece.length
    const room = this.#headLimit - this.#headBytes
    if (room >= piece.length) {
      this.#keep(this.#head, piece)
      this.#headBytes += piece.length
      return
    }
    if (room > 0) {
      this.#keep(this.#head, piece.subarray(0, room))
      this.#headBytes += room
    }
    const rest = room > 0 ? piece.subarray(room) : piece
    this.#keep(this.#tail, rest, this.#first)
    this.#tailBytes += rest.length
    const tailLimit = this.#limit - this.#headLimit
    for (
      let oldest = this.#tail[this.#first];
      oldest !== undefined && this.#tailBytes - oldest.length >= tailLimit;
      oldest = this.#tail[this.#first]
    ) {
      this.#tailBytes -= oldest.length
      this.#first++
    }
    // `shift()` costs the length of the array: drop the dead front only when it is the larger part.
    if (this.#first > 64 && this.#first * 2 > this.#tail.length) {
      this.#tail.splice(0, this.#first)
      this.#first = 0
    }
  }

  /** Keeps a copy. Small pieces share one block and one view of it, because each view costs about a hundred bytes. */
  #keep(kept: Array<Uint8Array>, piece: Uint8Array, dead = 0): void {
    if (piece.length >= smallBytes) return void kept.push(piece.slice())
    const last = kept.length > dead ? kept[kept.length - 1] : undefined
    if (this.#used + piece.length > this.#block.length) {
      this.#block = new Uint8Array(Math.max(piece.length, Math.min(blockBytes, 2 * this.#block.length)))
      this.#used = 0
    }
    const start = this.#used
    this.#block.set(piece, start)
    this.#used += piece.length
    const follows = last?.buffer === this.#block.buffer && last.byteOffset + last.length === start
    if (follows) kept[kept.length - 1] = this.#block.subarray(last.byteOffset, this.#used)
    else kept.push(this.#block.subarray(start, this.#used))
  }

  /** The bytes that were kept, head and tail joined. */
  takeBytes(): { readonly bytes: Uint8Array; readonly bytesOmitted: number } {
    const { tail, tailBytes } = this.#keptTail()
    const kept = this.#headBytes + tailBytes
    return { bytes: join([...this.#head, ...tail], kept), bytesOmitted: this.bytes - kept }
  }

  #keptTail(): { readonly tail: ReadonlyArray<Uint8Array>; readonly tailBytes: number } {
    const tail = this.#tail.slice(this.#first)
    const excess = this.#tailBytes - (this.#limit - this.#headLimit)
    const firstTail = tail[0]
    if (excess > 0 && firstTail !== undefined) tail[0] = firstTail.subarray(excess)
    return { tail, tailBytes: this.#tailBytes - Math.max(0, excess) }
  }

  /**
   * The kept text, at most `limitBytes` of it; default: the limit of the buffer. A character that the cut would split is left
   * out (in encodings without recognizable starts of characters, all text up to the next white space).
   */
  take(encoding: string, limitBytes: number = this.#limit): KeptOutput {
    const limit = Math.min(limitBytes, this.#limit)
    const decode = (bytes: Uint8Array): string => new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
    const isWhole = this.bytes <= this.#headBytes + this.#tailBytes
    const kept = join([...this.#head, ...this.#tail.slice(this.#first)], this.#headBytes + this.#tailBytes)
    if (isWhole && this.bytes <= limit) return { text: decode(kept), bytesOmitted: 0 }
    const headLimit = Math.ceil(limit / 2)
    const tailBytes = limit - headLimit
    const head = trimEnd(kept.subarray(0, headLimit), encoding)
    const end = trimStart(kept.subarray(kept.length - tailBytes), this.bytes - tailBytes, encoding)
    const bytesOmitted = this.bytes - head.length - end.length
    return { text: `${decode(head)}${omissionLine(bytesOmitted)}${decode(end)}`, bytesOmitted }
  }
}

const join = (pieces: ReadonlyArray<Uint8Array>, length: number): Uint8Array => {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only : concatBytes(pieces, length)
}

const unit = (bytes: Uint8Array, at: number, encoding: string): number =>
  encoding === "utf-16be"
    ? ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
    : ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0)

/** Removes an incomplete character from the end. */
export const trimEnd = (bytes: Uint8Array, encoding: string): Uint8Array => {
  if (encoding.startsWith("utf-16")) {
    const even = bytes.length - (bytes.length % 2)
    const high = even > 0 && isHighSurrogate(unit(bytes, even - 2, encoding))
    return bytes.subarray(0, high ? even - 2 : even)
  }
  if (isUtf8(encoding)) {
    let lead = bytes.length - 1
    while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--
    const byte = bytes[lead] ?? 0
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return lead >= 0 && lead + size > bytes.length ? bytes.subarray(0, lead) : bytes
  }
  // Any other encoding: pending bytes in the decoder show that the cut is inside a character.
  for (let less = 0; less < 4; less++) {
    const decoder = new TextDecoder(encoding)
    const shorter = bytes.subarray(0, bytes.length - less)
    decoder.decode(shorter, { stream: true })
    if (decoder.decode() === "") return shorter
  }
  return bytes
}

const multibyte = new Set(["gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr"])

/** Whether the encoding has bytes that may begin or continue a character. */
export const isMultibyte = (encoding: string): boolean => multibyte.has(encoding)

/** Removes the rest of a character from the start; `offset` is the position of the bytes in the stream. */
const trimStart = (bytes: Uint8Array, offset: number, encoding: string): Uint8Array => {
  if (encoding.startsWith("utf-16")) {
    const even = offset % 2
    return bytes.subarray(isLowSurrogate(unit(bytes, even, encoding)) ? even + 2 : even)
  }
  if (isUtf8(encoding)) {
    let start = 0
    while (start < 3 && isContinuation(bytes[start])) start++
    return bytes.subarray(start)
  }
  // White space is never the second byte of a character: the text after it starts with a whole one.
  const space = isMultibyte(encoding) ? bytes.findIndex((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d) : -1
  return bytes.subarray(space + 1)
}
