/** Buffers the output of a utility to one descriptor and writes it when 64 KiB are full, or on a flush. */
import type { Later, System } from "../../System.ts"
import { encodeLossless } from "../../../base/surrogateEscape.ts"
import { UtilityExit } from "./UtilityExit.ts"

const flushBytes = 65_536

export class Output {
  readonly #system: System
  readonly #fd: number
  #bytes = new Uint8Array(1024)
  #used = 0

  constructor(system: System, fd: number) {
    this.#system = system
    this.#fd = fd
  }

  /** Whether `flush` is due. Callers check it once per line or step, so that putting never waits. */
  get isFull(): boolean {
    return this.#used >= flushBytes
  }

  get isEmpty(): boolean {
    return this.#used === 0
  }

  #reserve(count: number): void {
    const needed = this.#used + count
    if (needed <= this.#bytes.length) return
    let capacity = Math.max(this.#bytes.length, 4096)
    while (capacity < needed) capacity *= 2
    const grown = new Uint8Array(capacity)
    grown.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = grown
  }

  putBytes(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    this.#reserve(to - from)
    const target = this.#bytes
    const used = this.#used
    this.#used += to - from
    // A loop copies a few bytes faster than a call of `set`.
    if (to - from < 24) { for (let at = from; at < to; at++) target[used + at - from] = bytes[at] ?? 0 }
    else target.set(bytes.subarray(from, to), used)
  }

  putByte(value: number): void {
    if (this.#used === this.#bytes.length) this.#reserve(1)
    this.#bytes[this.#used++] = value
  }

  putBinary(text: string): void {
    const { length } = text
    this.#reserve(length)
    const bytes = this.#bytes
    const used = this.#used
    this.#used += length
    // Only ASCII fits into as many bytes as characters; the encoder copies a long text faster than a loop.
    if (length > 40 && encoder.encodeInto(text, bytes.subarray(used, used + length)).read === length) return
    for (let at = 0; at < length; at++) bytes[used + at] = text.charCodeAt(at)
  }

  /** Appends text as UTF-8; a lone surrogate that stands for a byte becomes that byte. */
  putText(text: string): void {
    if (/[\udc80-\udcff]/.test(text)) return this.putBytes(encodeLossless(text))
    this.#reserve(text.length * 3)
    this.#used += encoder.encodeInto(text, this.#bytes.subarray(this.#used)).written
  }

  flush(): Later<void> {
    if (this.#used === 0) return
    const bytes = this.#bytes.subarray(0, this.#used)
    this.#used = 0
    const written = this.#system.writeAll(this.#fd, bytes)
    return typeof written === "number" ? checkWritten(written) : written.then(checkWritten)
  }
}

const encoder = new TextEncoder()

const checkWritten = (written: number): void => {
  if (written < 0) throw new UtilityExit(1, "write error", written)
}
