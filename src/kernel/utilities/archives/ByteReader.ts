/** Reads bytes of a file in order and looks ahead, in a buffer of fixed size. */
import { concatBytes } from "../../../base/bytes.ts"
import type { Later } from "../../System.ts"
import type { Input } from "../shared/Input.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"

/** Maximum bytes to look ahead. */
const chunkBytes = 65_536

export class ByteReader {
  readonly bytes: Uint8Array = new Uint8Array(2 * chunkBytes)
  /** The next byte, and the end of those that were read. */
  at = 0
  end = 0
  readonly #read: (into: Uint8Array) => Promise<number>

  /** Lets other processes run, in long work on bytes that are buffered. */
  readonly pause: () => Later<void>

  /** `read` returns 0 at the end. */
  constructor(read: (into: Uint8Array) => Promise<number>, pause: () => Later<void>) {
    this.#read = read
    this.pause = pause
  }

  /** Buffers this many bytes, at most `chunkBytes`, or fewer at the end. Returns the number of buffered bytes. */
  async ensure(count: number): Promise<number> {
    while (this.end - this.at < count) {
      if (this.bytes.length - this.end < chunkBytes) {
        this.bytes.copyWithin(0, this.at, this.end)
        this.end -= this.at
        this.at = 0
      }
      const got = await this.#read(this.bytes.subarray(this.end, this.end + chunkBytes))
      if (got === 0) break
      this.end += got
    }
    return this.end - this.at
  }

  /** The next bytes as a copy, at most `chunkBytes`; fewer at the end. */
  async take(count: number): Promise<Uint8Array> {
    const taken = Math.min(count, await this.ensure(count))
    this.at += taken
    return this.bytes.slice(this.at - taken, this.at)
  }

  /** Passes over the next bytes in pieces that are valid until the next one; they are fewer at the end. */
  async *pieces(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0;) {
      const piece = Math.min(left, await this.ensure(1))
      if (piece === 0) return
      this.at += piece
      left -= piece
      yield this.bytes.subarray(this.at - piece, this.at)
    }
  }

  /** Skips bytes. Returns whether the file had all of them. */
  async skip(count: number): Promise<boolean> {
    let left = count
    for await (const piece of this.pieces(count)) left -= piece.length
    return left === 0
  }

  /** The bytes up to a NUL, which is skipped; at most `chunkBytes`. */
  async takeString(): Promise<Uint8Array> {
    const parts: Array<Uint8Array> = []
    for (let length = 0; length < chunkBytes && await this.ensure(1) > 0;) {
      const found = this.bytes.subarray(this.at, this.end).indexOf(0)
      const part = await this.take(found < 0 ? this.end - this.at : found)
      parts.push(part)
      length += part.length
      if (found < 0) continue
      this.at++
      break
    }
    return concatBytes(parts)
  }
}

export const readerOf = (io: UtilityIo, input: Input, label?: string): ByteReader =>
  new ByteReader((into) => io.read(input, into, label), () => io.flushAndYield())
