/**
 * Bytes that come in pieces, as long as they are UTF-8.
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

/** One stream of bytes, in pieces of any size: up to where it stops being text. */
export class Utf8Bytes {
  /** Bytes seen, text or not. */
  bytes = 0
  /** Offset of the first byte that belongs to no character, counted from 0, once there is one. */
  notText: number | undefined
  /** Bytes that belong to whole characters. */
  #whole = 0
  /** Bytes of a character that is not whole yet, and how many it lacks. */
  #begun = 0
  #missing = 0
  #least = 0x80
  #most = 0xbf

  /** Takes the next bytes, and answers with those of them that go on as text: all, until there is one that does not. */
  push(piece: Uint8Array): Uint8Array {
    const before = this.bytes
    this.bytes += piece.length
    if (this.notText !== undefined) return piece.subarray(0, 0)
    if (this.#goesOn(piece)) return piece
    this.notText = this.#whole
    // A character that was begun in an earlier piece is not in this one.
    return piece.subarray(0, Math.max(0, this.#whole - before))
  }

  /** Nothing more will come: a character that has only begun is none. */
  end(): void {
    if (this.#begun > 0) this.notText ??= this.#whole
  }

  #goesOn(piece: Uint8Array): boolean {
    for (const byte of piece) {
      if (this.#missing > 0) {
        if (byte < this.#least || byte > this.#most) return false
        this.#begun++
        this.#least = 0x80
        this.#most = 0xbf
        if (--this.#missing > 0) continue
        this.#whole += this.#begun
        this.#begun = 0
      } else if (byte < 0x80) {
        this.#whole++
      } else {
        const next = following(byte)
        if (next === undefined) return false
        this.#begun = 1
        ;[this.#missing, this.#least, this.#most] = next
      }
    }
    return true
  }
}
