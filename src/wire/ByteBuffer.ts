/**
 * Bytes that come piece by piece, kept together.
 *
 * @module
 */

/** One buffer that doubles: what comes byte by byte must not cost an object each. It takes at most `max` bytes. */
export class ByteBuffer {
  readonly #max: number
  #buffer = new Uint8Array(0)
  #size = 0
  #refused = false

  constructor(max: number) {
    this.#max = max
  }

  /** Takes a piece, unless it is more than fits: then it answers `false`, and has refused it. */
  push(piece: Uint8Array): boolean {
    const size = this.#size + piece.length
    if (size > this.#max) {
      this.#refused = true
      return false
    }
    if (size > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(size, Math.min(this.#buffer.length * 2, this.#max)))
      grown.set(this.#buffer.subarray(0, this.#size))
      this.#buffer = grown
    }
    this.#buffer.set(piece, this.#size)
    this.#size = size
    return true
  }

  /** Whether there was more than it takes. */
  get hasRefused(): boolean {
    return this.#refused
  }

  /** A view of all that it has taken. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size)
  }
}
