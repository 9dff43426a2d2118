/**
 * Whether bytes that come in pieces are UTF-8.
 *
 * Source: RFC 3629, section 4.
 *
 * @module
 */

/** The bytes that may follow the first one of a character: how many there are, and the range of the next one. */
const following = (byte: number): readonly [count: number, least: number, most: number] | undefined => {
  if (byte >= 0xc2 && byte <= 0xdf) return [1, 0x80, 0xbf]
  // Nothing in two bytes more that fits into fewer, no half of a surrogate pair, nothing above U+10FFFF.
  if (byte >= 0xe0 && byte <= 0xef) return [2, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf]
  if (byte >= 0xf0 && byte <= 0xf4) return [3, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf]
  return undefined
}

/** Looks at one stream of bytes, in pieces of any size. */
export class Utf8Check {
  /** Bytes that belong to whole characters. */
  #whole = 0
  /** Bytes of a character that is not whole yet. */
  #begun = 0
  #missing = 0
  #least = 0x80
  #most = 0xbf

  /** Offset in the stream of the first byte that is not part of a whole character. */
  get offset(): number {
    return this.#whole
  }

  /** Whether the stream stands within a character. */
  get within(): boolean {
    return this.#begun > 0
  }

  /** Takes the next bytes; `false` when they cannot go on as UTF-8. Then {@link offset} is where they stop being it. */
  push(bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (this.#missing > 0) {
        if (byte < this.#least || byte > this.#most) return false
        this.#begun++
        this.#least = 0x80
        this.#most = 0xbf
        if (--this.#missing === 0) {
          this.#whole += this.#begun
          this.#begun = 0
        }
        continue
      }
      if (byte < 0x80) {
        this.#whole++
        continue
      }
      const next = following(byte)
      if (next === undefined) return false
      this.#begun = 1
      ;[this.#missing, this.#least, this.#most] = next
    }
    return true
  }
}
