/**
 * Reads and writes the linear memory of a WASI program. Pointers and lengths arrive as signed numbers and are treated
 * as unsigned.
 *
 * Nothing may be read or written before {@link GuestMemory.fits} has said that it lies within: this also renews the views when
 * the memory has grown, so it must be asked again after every wait.
 *
 * @module
 */
import { Errno } from "../Errno.ts"

/** Something that has a buffer, which may be another one after it has grown: a `WebAssembly.Memory`. */
export interface Memory {
  readonly buffer: ArrayBufferLike
}

/** More vectors than this are not looked at in one call: a shorter transfer is always allowed. As Linux's `IOV_MAX`. */
const maxVectors = 1024
/** As Linux's `PATH_MAX`. */
const maxPathBytes = 4096

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Reading and writing of a program's memory. */
export class GuestMemory {
  readonly #memory: () => Memory
  #buffer: ArrayBufferLike | undefined
  #bytes: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  /** Programs mostly use one buffer again and again: its view is kept. */
  #last: Uint8Array = this.#bytes

  /** The memory is asked for at the first call: it does not exist yet when the imports are made. */
  constructor(memory: () => Memory) {
    this.#memory = memory
  }

  /**
   * Whether a range lies within the memory. Asking a memory for its buffer costs more than all else here, so that is done
   * only when the answer would be no: views of a memory that has grown are empty, or too short where it is shared.
   */
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

  /** A range as it lies there: valid until the next wait. */
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

  /** Text, or `-EFAULT`, or `-EILSEQ` when it is no UTF-8. */
  text(pointer: number, length: number): string | number {
    if (!this.fits(pointer, length)) return -Errno.EFAULT
    const bytes = this.range(pointer, length)
    try {
      // Decoders take no shared memory.
      return utf8.decode(this.#buffer instanceof ArrayBuffer ? bytes : bytes.slice())
    } catch {
      return -Errno.EILSEQ
    }
  }

  /** The name of a file: text of 1 to 4,096 bytes without a NUL. */
  path(pointer: number, length: number): string | number {
    if (length >>> 0 > maxPathBytes) return -Errno.ENAMETOOLONG
    const text = this.text(pointer, length)
    if (typeof text === "number") return text
    return text === "" ? -Errno.ENOENT : text.includes("\0") ? -Errno.EINVAL : text
  }

  /**
   * How many of the vectors (`iovec`: a pointer and a length) to use; `-EFAULT` when one of them lies outside,
   * `-EINVAL` when they are longer together than a length can say.
   */
  vectors(pointer: number, count: number): number {
    const used = Math.min(count >>> 0, maxVectors)
    if ((count >>> 0) > 0x1fff_ffff || !this.fits(pointer, used * 8)) return -Errno.EFAULT
    let total = 0
    for (let index = 0; index < used; index++) {
      const length = this.#length(pointer, index)
      const end = this.u32(pointer + index * 8) + length
      // A shared memory that has grown leaves the view that has these words as it was.
      if (end > this.#bytes.length && !this.#fitsNow(end)) return -Errno.EFAULT
      total += length
    }
    return total > 0xffff_ffff ? -Errno.EINVAL : used
  }

  /** The range of a vector that is alone, as most are; `undefined` when it, or its range, lies outside. */
  only(pointer: number): Uint8Array | undefined {
    if (!this.fits(pointer, 8)) return undefined
    const start = this.u32(pointer)
    const length = this.u32(pointer + 4)
    return this.fits(start, length) ? this.range(start, length) : undefined
  }

  /** The first vector from `index` on that is not empty, or `count`. */
  skipEmpty(pointer: number, index: number, count: number): number {
    let next = index
    while (next < count && this.#length(pointer, next) === 0) next++
    return next
  }

  /** The range that a vector names. */
  vector(pointer: number, index: number): Uint8Array {
    return this.range(this.u32(pointer + index * 8), this.#length(pointer, index))
  }

  #length(pointer: number, index: number): number {
    return this.u32(pointer + index * 8 + 4)
  }
}
