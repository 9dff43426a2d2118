/**
 * The start and the end of a stream of bytes.
 *
 * @module
 */

const firstBytes = 1_024

const grown = (buffer: Uint8Array<ArrayBuffer>, needed: number, most: number): Uint8Array<ArrayBuffer> => {
  if (needed <= buffer.length) return buffer
  const larger = new Uint8Array(Math.min(most, Math.max(needed, firstBytes, 2 * buffer.length)))
  larger.set(buffer)
  return larger
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

const decode = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

/** Text that was kept, and how many bytes were not. */
export interface Ends {
  readonly text: string
  readonly bytesOmitted: number
}

/**
 * Keeps the first and the last half of `limit` bytes of UTF-8. How many of them are wanted need not be known before the
 * end: two streams that share a budget find out only then.
 */
export class KeptEnds {
  readonly #headLimit: number
  readonly #tailLimit: number
  #head = new Uint8Array(0)
  #headBytes = 0
  /** The last bytes, in a circle once it is full: the oldest is at `#next`. */
  #tail = new Uint8Array(0)
  #tailBytes = 0
  #next = 0
  /** Bytes seen, kept or not. */
  bytes = 0

  constructor(limit: number) {
    this.#headLimit = Math.ceil(limit / 2)
    this.#tailLimit = limit - this.#headLimit
  }

  /** Takes bytes, and copies what it keeps. */
  push(piece: Uint8Array): void {
    this.bytes += piece.length
    const start = piece.subarray(0, this.#headLimit - this.#headBytes)
    if (start.length > 0) {
      this.#head = grown(this.#head, this.#headBytes + start.length, this.#headLimit)
      this.#head.set(start, this.#headBytes)
      this.#headBytes += start.length
    }
    const rest = piece.subarray(Math.max(start.length, piece.length - this.#tailLimit))
    if (rest.length === 0) return
    this.#tail = grown(this.#tail, Math.min(this.#tailBytes + rest.length, this.#tailLimit), this.#tailLimit)
    const fits = rest.subarray(0, this.#tail.length - this.#next)
    this.#tail.set(fits, this.#next)
    this.#tail.set(rest.subarray(fits.length), 0)
    this.#next = (this.#next + rest.length) % this.#tailLimit
    this.#tailBytes = Math.min(this.#tailBytes + rest.length, this.#tailLimit)
  }

  /** The last bytes, in order. */
  #last(): Uint8Array {
    if (this.#tailBytes < this.#tailLimit || this.#next === 0) return this.#tail.subarray(0, this.#tailBytes)
    const turned = new Uint8Array(this.#tailBytes)
    turned.set(this.#tail.subarray(this.#next), 0)
    turned.set(this.#tail.subarray(0, this.#next), this.#tailBytes - this.#next)
    return turned
  }

  /**
   * The text, or its first and its last half of `share` bytes with a line between them that says what is missing. No
   * character is cut in two; one that never became whole, at the end, is left out.
   */
  take(share: number): Ends {
    const tail = this.#last()
    // Nothing is missing between the two, or more than a share has.
    const kept = new Uint8Array(this.#headBytes + tail.length)
    kept.set(this.#head.subarray(0, this.#headBytes))
    kept.set(tail, this.#headBytes)
    if (this.bytes <= share) {
      const whole = withoutBegun(kept)
      return { text: decode(whole), bytesOmitted: this.bytes - whole.length }
    }
    const half = Math.ceil(share / 2)
    const start = withoutBegun(kept.subarray(0, half))
    const end = withoutBegun(withoutRest(kept.subarray(kept.length - (share - half))))
    const bytesOmitted = this.bytes - start.length - end.length
    return { text: `${decode(start)}\n[… ${bytesOmitted} bytes left out …]\n${decode(end)}`, bytesOmitted }
  }
}

/** Without a character at the end that has only begun. */
const withoutBegun = (bytes: Uint8Array): Uint8Array => {
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--
  const byte = bytes[lead] ?? 0
  const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
  return lead >= 0 && lead + size > bytes.length ? bytes.subarray(0, lead) : bytes
}

/** Without the rest of a character at the start. */
const withoutRest = (bytes: Uint8Array): Uint8Array => {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}
