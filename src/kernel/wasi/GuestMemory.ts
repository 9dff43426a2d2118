/**
 * Reads and writes the linear memory of a WASI program, and checks that ranges lie within it. Pointers and lengths arrive as
 * signed numbers and are treated as unsigned. Check a range with {@link GuestMemory.fits} before every access and after every
 * wait: it renews the views, too.
 */
import { Errno } from "../Errno.ts"

/** A `WebAssembly.Memory`, whose buffer is replaced when it grows. */
export interface Memory {
  readonly buffer: ArrayBufferLike
}

/**
 * Maximum number of vectors of one call, Linux's `IOV_MAX`. The rest is not transferred, since a shorter transfer is
 * always allowed.
 */
const maxVectors = 1024
const maxPathBytes = 4096

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

export class GuestMemory {
  readonly #memory: () => Memory
  #buffer: ArrayBufferLike | undefined
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  /** The last view, because programs mostly reuse one buffer. */
  #last: Uint8Array = this.#bytes

  /** `memory` is first called by a WASI function: the memory does not exist yet when the imports are made. */
  constructor(memory: () => Memory) {
    this.#memory = memory
  }

  /** Whether a range lies within the memory. Reading `buffer` is slow: only if the range does not fit the known views. */
  fits(pointer: number, length: number): boolean {
    const end = (pointer >>> 0) + (length >>> 0)
    return (end > 0 && end <= this.#bytes.length) || this.#fitsNow(end)
  }

  #fitsNow(end: number): boolean {
    const buffer = this.#memory().buffer
    if (buffer !== this.#buffer) {
      this.#buffer = buffer
      this.#bytes = new Uint8Array(buffer)
      this.#view = new DataView(buffer)
      this.#last = this.#bytes
    }
    return end <= this.#bytes.length
  }

  /** Returns a view of a range, valid until the next wait. */
  range(pointer: number, length: number): Uint8Array {
    const start = pointer >>> 0
    const size = length >>> 0
    const last = this.#last
    if (last.byteOffset === start && last.length === size) return last
    this.#last = this.#bytes.subarray(start, start + size)
    return this.#last
  }

  u8(pointer: number): number {
    return this.#view.getUint8(pointer >>> 0)
  }

  u16(pointer: number): number {
    return this.#view.getUint16(pointer >>> 0, true)
  }

  u32(pointer: number): number {
    return this.#view.getUint32(pointer >>> 0, true)
  }

  u64(pointer: number): bigint {
    return this.#view.getBigUint64(pointer >>> 0, true)
  }

  setU8(pointer: number, value: number): void {
    this.#view.setUint8(pointer >>> 0, value)
  }

  setU16(pointer: number, value: number): void {
    this.#view.setUint16(pointer >>> 0, value, true)
  }

  setU32(pointer: number, value: number): void {
    this.#view.setUint32(pointer >>> 0, value, true)
  }

  setU64(pointer: number, value: bigint | number): void {
    this.#view.setBigUint64(pointer >>> 0, BigInt(value), true)
  }

  /** Decodes text; `-EFAULT` outside the memory, `-EILSEQ` for invalid UTF-8. */
  text(pointer: number, length: number): string | number {
    if (!this.fits(pointer, length)) return -Errno.EFAULT
    const bytes = this.range(pointer, length)
    try {
      // Decoders refuse shared memory.
      return utf8.decode(this.#buffer instanceof ArrayBuffer ? bytes : bytes.slice())
    } catch {
      return -Errno.EILSEQ
    }
  }

  /** Decodes a path: text of 1 to 4,096 bytes without a NUL. */
  path(pointer: number, length: number): string | number {
    if (length >>> 0 > maxPathBytes) return -Errno.ENAMETOOLONG
    const text = this.text(pointer, length)
    if (typeof text === "number") return text
    return text === "" ? -Errno.ENOENT : text.includes("\0") ? -Errno.EINVAL : text
  }

  /** Number of the `iovec` to use; `-EFAULT` if one lies outside the memory, `-EINVAL` if their total exceeds 32 bits. */
  vectors(pointer: number, count: number): number {
    const used = Math.min(count >>> 0, maxVectors)
    if ((count >>> 0) > 0x1fff_ffff || !this.fits(pointer, used * 8)) return -Errno.EFAULT
    let total = 0
    for (let index = 0; index < used; index++) {
      const length = this.#length(pointer, index)
      const end = this.u32(pointer + index * 8) + length
      // After a shared memory has grown, old views stay valid but are too short.
      if (end > this.#bytes.length && !this.#fitsNow(end)) return -Errno.EFAULT
      total += length
    }
    return total > 0xffff_ffff ? -Errno.EINVAL : used
  }

  /** Returns the range of a single vector, the usual case; `undefined` if it lies outside the memory. */
  singleVector(pointer: number): Uint8Array | undefined {
    if (!this.fits(pointer, 8)) return undefined
    const start = this.u32(pointer)
    const length = this.u32(pointer + 4)
    return this.fits(start, length) ? this.range(start, length) : undefined
  }

  /** Returns the index of the first non-empty vector from `index` on, or `count`. */
  skipEmpty(pointer: number, index: number, count: number): number {
    let next = index
    while (next < count && this.#length(pointer, next) === 0) next++
    return next
  }

  vector(pointer: number, index: number): Uint8Array {
    return this.range(this.u32(pointer + index * 8), this.#length(pointer, index))
  }

  #length(pointer: number, index: number): number {
    return this.u32(pointer + index * 8 + 4)
  }
}
