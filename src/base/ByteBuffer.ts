/** Collects bytes in one growing buffer, up to a maximum size. */
import { emptyBytes } from "./bytes.ts"

/** A buffer that doubles as it fills, so that bytes that arrive one at a time do not cost an object each. */
export class ByteBuffer {
  readonly #maxBytes: number
  #buffer = emptyBytes
  #size = 0
  #hasOverflowed = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Appends a piece. Returns `false` without appending it if the buffer would exceed its maximum. */
  push(piece: Uint8Array): boolean {
    const size = this.#size + piece.length
    if (size > this.#maxBytes) {
      this.#hasOverflowed = true
      return false
    }
    if (size > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(size, Math.min(this.#buffer.length * 2, this.#maxBytes)))
      grown.set(this.#buffer.subarray(0, this.#size))
      this.#buffer = grown
    }
    this.#buffer.set(piece, this.#size)
    this.#size = size
    return true
  }

  /** Whether a piece was refused because the buffer was full. */
  get hasOverflowed(): boolean {
    return this.#hasOverflowed
  }

  /** A view of the collected bytes, valid until the next `push` or `clear`. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size)
  }

  /** Number of collected bytes. */
  get size(): number {
    return this.#size
  }

  /** Forgets the bytes and keeps the memory for the next ones. */
  clear(): void {
    this.#size = 0
    this.#hasOverflowed = false
  }
}
