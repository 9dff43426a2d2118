/**
 * Decompresses DEFLATE data piece by piece. `DecompressionStream` and fflate are not used because they do not report
 * where the data ends, which is needed for gzip files with several members or trailing bytes. They also return the
 * whole output of a piece at once, which a zip bomb makes a thousand times larger. Source: RFC 1951.
 */
import type { ByteReader } from "./ByteReader.ts"

export class InflateError extends Error {}

const invalid = (): InflateError => new InflateError("invalid compressed data--format violated")

/** Distances reach this far back. */
const windowBytes = 32_768
const outputBytes = 65_536
const maxMatchBytes = 258

/** Entries are `symbol << 4 | length`, by the next bits of the input; 0 for bits that are no code. */
interface HuffmanTable {
  readonly entries: Uint16Array
  readonly mask: number
}

const makeTable = (lengths: ReadonlyArray<number>): HuffmanTable => {
  const counts = new Array<number>(16).fill(0)
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1
  counts[0] = 0
  let max = 15
  while (max > 1 && counts[max] === 0) max--
  const next: Array<number> = []
  let code = 0
  for (let length = 1; length <= 15; length++) {
    code = code + (counts[length - 1] ?? 0) << 1
    next[length] = code
    if (code + (counts[length] ?? 0) > 1 << length) throw invalid()
  }
  const entries = new Uint16Array(1 << max)
  lengths.forEach((length, symbol) => {
    if (length === 0) return
    const bits = next[length] ?? 0
    next[length] = bits + 1
    let reversed = 0
    for (let bit = 0; bit < length; bit++) reversed |= (bits >> bit & 1) << (length - 1 - bit)
    for (let at = reversed; at < entries.length; at += 1 << length) entries[at] = symbol << 4 | length
  })
  return { entries, mask: entries.length - 1 }
}

/** The values of symbols: a base, and the number of bits that are added to it. */
const makeBases = (first: number, extra: ReadonlyArray<number>): ReadonlyArray<number> => {
  let base = first
  return extra.map((bits) => (base += 1 << bits) - (1 << bits))
}

const lengthExtra = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0]
const lengthBases = [...makeBases(3, lengthExtra).slice(0, -1), maxMatchBytes]
const distanceExtra = Array.from({ length: 30 }, (_, symbol) => Math.max(0, (symbol >> 1) - 1))
const distanceBases = makeBases(1, distanceExtra)
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

let knownFixed: readonly [HuffmanTable, HuffmanTable] | undefined

const fixedTables = (): readonly [HuffmanTable, HuffmanTable] =>
  knownFixed ??= [
    makeTable(Array.from({ length: 288 }, (_, at) => at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8)),
    makeTable(new Array<number>(30).fill(5)),
  ]

class Inflater {
  readonly #reader: ByteReader
  readonly #out = new Uint8Array(windowBytes + outputBytes + maxMatchBytes)
  #used = 0
  #written = 0
  #bits = 0
  #count = 0

  constructor(reader: ByteReader) {
    this.#reader = reader
  }

  async *run(): AsyncGenerator<Uint8Array> {
    let blocks = 0
    for (let isLast = false; !isLast;) {
      // Empty blocks are of ten bits.
      if (++blocks % 64 === 0) await this.#reader.pause()
      // More than the longest header of a block.
      await this.#reader.ensure(1_024)
      isLast = this.#take(1) === 1
      const type = this.#take(2)
      if (type === 0) yield* this.#copyStored()
      else if (type === 3) throw invalid()
      else yield* this.#decode(...(type === 1 ? fixedTables() : this.#readTables()))
    }
    // Whole unused bytes belong to the data that follows.
    this.#reader.at -= this.#count >> 3
    yield* this.#flush()
  }

  *#flush(): Generator<Uint8Array> {
    yield this.#out.subarray(this.#written, this.#used)
    const kept = Math.min(windowBytes, this.#used)
    this.#out.copyWithin(0, this.#used - kept, this.#used)
    this.#used = this.#written = kept
  }

  /** Makes 15 bits available, at the end of the file fewer. */
  #fill(): void {
    const reader = this.#reader
    while (this.#count <= 16 && reader.at < reader.end) {
      this.#bits |= (reader.bytes[reader.at++] ?? 0) << this.#count
      this.#count += 8
    }
  }

  #drop(count: number): void {
    if (count > this.#count) throw new InflateError("unexpected end of file")
    this.#bits >>>= count
    this.#count -= count
  }

  #take(count: number): number {
    this.#fill()
    const value = this.#bits & (1 << count) - 1
    this.#drop(count)
    return value
  }

  #symbol({ entries, mask }: HuffmanTable): number {
    this.#fill()
    const entry = entries[this.#bits & mask] ?? 0
    if (entry === 0) throw this.#count < 15 ? new InflateError("unexpected end of file") : invalid()
    this.#drop(entry & 15)
    return entry >> 4
  }

  async *#copyStored(): AsyncGenerator<Uint8Array> {
    this.#take(this.#count & 7)
    const length = this.#take(16)
    if (this.#take(16) !== (length ^ 0xffff)) throw invalid()
    this.#reader.at -= this.#count >> 3
    this.#bits = this.#count = 0
    let left = length
    for await (const piece of this.#reader.pieces(length)) {
      left -= piece.length
      for (let at = 0; at < piece.length; at += outputBytes) {
        const part = piece.subarray(at, at + outputBytes)
        if (this.#used + part.length > this.#out.length) yield* this.#flush()
        this.#out.set(part, this.#used)
        this.#used += part.length
      }
    }
    if (left > 0) throw new InflateError("unexpected end of file")
  }

  #readTables(): readonly [HuffmanTable, HuffmanTable] {
    const [literals, distances, lengths] = [this.#take(5) + 257, this.#take(5) + 1, this.#take(4) + 4]
    if (literals > 286 || distances > 30) throw invalid()
    const codeLengths = new Array<number>(19).fill(0)
    for (const symbol of codeLengthOrder.slice(0, lengths)) codeLengths[symbol] = this.#take(3)
    const table = makeTable(codeLengths)
    const all: Array<number> = []
    while (all.length < literals + distances) {
      const symbol = this.#symbol(table)
      if (symbol < 16) all.push(symbol)
      else {
        const previous = all.at(-1)
        if (symbol === 16 && previous === undefined) throw invalid()
        const times = symbol === 16 ? 3 + this.#take(2) : symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7)
        for (let time = 0; time < times; time++) all.push(symbol === 16 ? previous ?? 0 : 0)
      }
    }
    if (all.length > literals + distances || all[256] === 0) throw invalid()
    return [makeTable(all.slice(0, literals)), makeTable(all.slice(literals))]
  }

  async *#decode(literals: HuffmanTable, distances: HuffmanTable): AsyncGenerator<Uint8Array> {
    for (;;) {
      if (this.#used >= windowBytes + outputBytes) yield* this.#flush()
      // Two symbols with their bits are at most 48 bits long.
      if (this.#reader.end - this.#reader.at < 8) await this.#reader.ensure(8)
      if (this.#decodeSome(literals, distances)) return
    }
  }

  /** Decodes until the output is full or the input is nearly used up. Returns whether the block ended. */
  #decodeSome(literals: HuffmanTable, distances: HuffmanTable): boolean {
    const out = this.#out
    const { end } = this.#reader
    do {
      const symbol = this.#symbol(literals)
      if (symbol < 256) out[this.#used++] = symbol
      else if (symbol === 256) return true
      else {
        const extra = lengthExtra[symbol - 257]
        if (extra === undefined) throw invalid()
        const length = (lengthBases[symbol - 257] ?? 0) + this.#take(extra)
        const code = this.#symbol(distances)
        const distance = (distanceBases[code] ?? Infinity) + this.#take(distanceExtra[code] ?? 0)
        if (distance > this.#used) throw invalid()
        let from = this.#used - distance
        for (let left = length; left > 0; left--) out[this.#used++] = out[from++] ?? 0
      }
    } while (end - this.#reader.at >= 8 && this.#used < windowBytes + outputBytes)
    return false
  }
}

/**
 * Decompresses up to the end of the data, where it leaves the reader, in pieces of about 64 KiB, each valid until the
 * next one. Throws an {@link InflateError} for data that is damaged or truncated.
 */
export const inflate = (reader: ByteReader): AsyncGenerator<Uint8Array> => new Inflater(reader).run()
