import type { Later, System } from "../../System.ts"
import { encode } from "../../shell/text.ts"
import { UtilityExit } from "./UtilityExit.ts"

const size = 65_536

/** What a utility writes: gathered, and written 64 KiB at a time. */
export class Output {
  readonly #system: System
  readonly #fd: number
  #bytes = new Uint8Array(1024)
  #used = 0

  constructor(system: System, fd: number) {
    this.#system = system
    this.#fd = fd
  }

  /** Whether it is time to `flush`. Callers look once for each line or step, so that `put` never waits. */
  get isFull(): boolean {
    return this.#used >= size
  }

  get isEmpty(): boolean {
    return this.#used === 0
  }

  #room(count: number): void {
    const needed = this.#used + count
    if (needed <= this.#bytes.length) return
    let capacity = Math.max(this.#bytes.length, 4096)
    while (capacity < needed) capacity *= 2
    const grown = new Uint8Array(capacity)
    grown.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = grown
  }

  /** Bytes of an array, as they are. */
  putBytes(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    this.#room(to - from)
    // A short copy is cheaper by hand than as a call.
    if (to - from < 24) { for (let at = from; at < to; at++) this.#bytes[this.#used++] = bytes[at] ?? 0 }
    else {
      this.#bytes.set(bytes.subarray(from, to), this.#used)
      this.#used += to - from
    }
  }

  /** One byte. */
  putByte(value: number): void {
    if (this.#used === this.#bytes.length) this.#room(1)
    this.#bytes[this.#used++] = value
  }

  /** A binary string. */
  putBinary(text: string): void {
    this.#room(text.length)
    if (text.length > 12) {
      // In as many bytes as there are characters fits ASCII alone; the encoder is faster than a loop.
      const space = this.#bytes.subarray(this.#used, this.#used + text.length)
      if (encoder.encodeInto(text, space).read === text.length) {
        this.#used += text.length
        return
      }
    }
    for (let at = 0; at < text.length; at++) this.#bytes[this.#used++] = text.charCodeAt(at)
  }

  /** A text, as UTF-8. */
  putText(text: string): void {
    // Lone surrogates are bytes that were no UTF-8.
    if (/[\udc80-\udcff]/.test(text)) return this.putBytes(encode(text))
    this.#room(text.length * 3)
    this.#used += encoder.encodeInto(text, this.#bytes.subarray(this.#used)).written
  }

  /** Writes what has been gathered. */
  flush(): Later<void> {
    if (this.#used === 0) return
    const bytes = this.#bytes.subarray(0, this.#used)
    this.#used = 0
    const written = this.#system.writeAll(this.#fd, bytes)
    return typeof written === "number" ? check(written) : written.then(check)
  }
}

const encoder = new TextEncoder()

const check = (written: number): void => {
  if (written < 0) throw new UtilityExit(1, "write error", written)
}
