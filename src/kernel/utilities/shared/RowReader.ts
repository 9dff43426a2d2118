/** Splits the bytes of several files into rows of one width, for `od` and `xxd`. */
import { concatBytes, emptyBytes } from "../../../base/bytes.ts"
import type { Input } from "./Input.ts"
import type { UtilityIo } from "./defineUtility.ts"

export const maxRowBytes: number = 4_096

export interface RowOptions {
  readonly width: number
  readonly skip: number
  readonly maxBytes: number
}

/** Reads files one after the other and passes on rows; only the last row may be shorter. */
export class RowReader {
  readonly #io: UtilityIo
  readonly #width: number
  readonly #show: (row: Uint8Array) => void
  #skip: number
  #left: number
  #partial = emptyBytes

  constructor(io: UtilityIo, { maxBytes, skip, width }: RowOptions, show: (row: Uint8Array) => void) {
    this.#io = io
    this.#width = width
    this.#show = show
    this.#skip = skip
    this.#left = maxBytes
  }

  /** Bytes to skip that have not been read yet. */
  get unskipped(): number {
    return this.#skip
  }

  async read(input: Input): Promise<void> {
    const { out } = this.#io
    if (this.#left === 0) return
    for await (const chunk of this.#io.chunks(input)) {
      const from = Math.min(this.#skip, chunk.length)
      this.#skip -= from
      const part = chunk.subarray(from, from + this.#left)
      this.#left -= part.length
      const bytes = concatBytes([this.#partial, part])
      let at = 0
      for (; at + this.#width <= bytes.length; at += this.#width) {
        this.#show(bytes.subarray(at, at + this.#width))
        if (out.isFull) await out.flush()
      }
      this.#partial = bytes.slice(at)
      if (this.#left === 0) return
    }
  }

  end(): void {
    if (this.#partial.length > 0) this.#show(this.#partial)
    this.#partial = emptyBytes
  }
}

/** Bytes as text, with a dot for each that is not printable ASCII. */
export const formatPrintable = (row: Uint8Array): string =>
  Array.from(row, (byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".").join("")
