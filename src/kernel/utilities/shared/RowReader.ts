import type { Input } from "./Input.ts"
import type { UtilityIo } from "./utility.ts"

/** Bytes of a row of a dump. */
export const maxRowBytes: number = 4_096

/** Which bytes of a dump: so many are left out, so many shown at most, in rows. */
export interface RowOptions {
  readonly width: number
  readonly skip: number
  readonly maxBytes: number
}

/** Bytes of files, one behind the other, in rows. */
export class RowReader {
  readonly #io: UtilityIo
  readonly #width: number
  readonly #show: (row: Uint8Array) => void
  #skip: number
  #left: number
  #held = new Uint8Array(0)

  /** @param show a row; the last one may be shorter */
  constructor(io: UtilityIo, { maxBytes: most, skip, width }: RowOptions, show: (row: Uint8Array) => void) {
    this.#io = io
    this.#width = width
    this.#show = show
    this.#skip = skip
    this.#left = most
  }

  /** How many of the bytes to leave out have not come. */
  get missing(): number {
    return this.#skip
  }

  /** Reads a file, as far as it is wanted. */
  async read(input: Input): Promise<void> {
    const io = this.#io
    const buffer = new Uint8Array(65_536)
    while (this.#left > 0) {
      const pause = io.settle()
      if (pause !== undefined) await pause
      const got = await io.system.read(input.fd, buffer)
      if (got < 0) io.warn(input.path, got)
      if (got <= 0) return
      const from = Math.min(this.#skip, got)
      this.#skip -= from
      const part = buffer.subarray(from, Math.min(got, from + this.#left))
      this.#left -= part.length
      const joined = new Uint8Array(this.#held.length + part.length)
      joined.set(this.#held)
      joined.set(part, this.#held.length)
      let at = 0
      for (; at + this.#width <= joined.length; at += this.#width) {
        this.#show(joined.subarray(at, at + this.#width))
        if (io.out.isFull) await io.out.flush()
      }
      this.#held = joined.slice(at)
    }
  }

  /** Shows what is left of the last row. */
  end(): void {
    if (this.#held.length > 0) this.#show(this.#held)
    this.#held = new Uint8Array(0)
  }
}

/** Bytes as text, a dot for each that is no printable ASCII. */
export const printable = (row: Uint8Array): string =>
  Array.from(row, (byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("")
