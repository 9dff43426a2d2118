/**
 * Decompresses bzip2 data piece by piece, in bounded memory, and yields to other processes.
 * Source: the format as in bzip2 1.0.8.
 */
import type { ByteReader } from "./ByteReader.ts"
import { InflateError } from "./inflate.ts"

const damaged = (): InflateError => new InflateError("data integrity error")

/** More than the longest header of a block. */
const headerBytes = 32_768
const groupSymbols = 50
/** Fifty symbols of twenty bits. */
const groupBytes = 128
const maxCodeBits = 20
const outputBytes = 65_536

const blockMagic = [0x314159, 0x265359]
const endMagic = [0x177245, 0x385090]

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = value << 1 ^ (value < 0 ? 0x04c11db7 : 0)
  return value
})

interface Code {
  /** The largest code of each length, and the number to subtract from a code to get the index of its symbol. */
  readonly limits: Int32Array
  readonly bases: Int32Array
  readonly symbols: Uint16Array
}

const makeCode = (lengths: Uint8Array): Code => {
  const limits = new Int32Array(maxCodeBits + 2).fill(-1)
  const bases = new Int32Array(maxCodeBits + 2)
  const symbols = new Uint16Array(lengths.length)
  let [code, at] = [0, 0]
  for (let length = 1; length <= maxCodeBits; length++) {
    bases[length] = code - at
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue
      symbols[at++] = symbol
      code++
    }
    limits[length] = code - 1
    code <<= 1
  }
  return { limits, bases, symbols }
}

export const isBzip2 = async (reader: ByteReader): Promise<boolean> =>
  await reader.ensure(4) >= 4 && String.fromCharCode(...reader.bytes.subarray(reader.at, reader.at + 3)) === "BZh" &&
  (reader.bytes[reader.at + 3] ?? 0) - 49 >>> 0 < 9

class BlockDecoder {
  readonly #reader: ByteReader
  readonly #block: Uint32Array
  #bits = 0
  #count = 0

  constructor(reader: ByteReader, level: number) {
    this.#reader = reader
    this.#block = new Uint32Array(level * 100_000)
  }

  #take(count: number): number {
    const reader = this.#reader
    while (this.#count < count) {
      if (reader.at >= reader.end) throw new InflateError("file ends unexpectedly")
      this.#bits = this.#bits << 8 | (reader.bytes[reader.at++] ?? 0)
      this.#count += 8
    }
    this.#count -= count
    return this.#bits >>> this.#count & (1 << count) - 1
  }

  #takeWord(): number {
    return (this.#take(16) << 16 | this.#take(16)) >>> 0
  }

  async *run(): AsyncGenerator<Uint8Array> {
    let combined = 0
    for (;;) {
      await this.#reader.ensure(headerBytes)
      const magic = [this.#take(24), this.#take(24)]
      const crc = this.#takeWord()
      if (magic[0] === endMagic[0] && magic[1] === endMagic[1]) {
        if (crc !== combined) throw damaged()
        return
      }
      if (magic[0] !== blockMagic[0] || magic[1] !== blockMagic[1]) throw damaged()
      combined = ((combined << 1 | combined >>> 31) ^ crc) >>> 0
      yield* this.#decodeBlock(crc)
    }
  }

  #readTables(): { readonly codes: ReadonlyArray<Code>; readonly selectors: Uint8Array; readonly used: Array<number> } {
    const used: Array<number> = []
    const ranges = this.#take(16)
    for (let range = 0; range < 16; range++) {
      if ((ranges >> 15 - range & 1) === 0) continue
      const bits = this.#take(16)
      for (let bit = 0; bit < 16; bit++) if ((bits >> 15 - bit & 1) !== 0) used.push(range * 16 + bit)
    }
    const groups = this.#take(3)
    const selectors = new Uint8Array(this.#take(15))
    if (used.length === 0 || groups < 2 || groups > 6 || selectors.length === 0) throw damaged()
    const order = [0, 1, 2, 3, 4, 5]
    for (let at = 0; at < selectors.length; at++) {
      let place = 0
      while (this.#take(1) === 1) if (++place >= groups) throw damaged()
      const [group = 0] = order.splice(place, 1)
      order.unshift(group)
      selectors[at] = group
    }
    const codes = Array.from({ length: groups }, () => {
      const lengths = new Uint8Array(used.length + 2)
      let length = this.#take(5)
      for (let symbol = 0; symbol < lengths.length; symbol++) {
        while (this.#take(1) === 1) length += this.#take(1) === 1 ? -1 : 1
        if (length < 1 || length > maxCodeBits) throw damaged()
        lengths[symbol] = length
      }
      return makeCode(lengths)
    })
    return { codes, selectors, used }
  }

  #symbol({ bases, limits, symbols }: Code): number {
    let code = 0
    for (let length = 1; length <= maxCodeBits; length++) {
      code = code << 1 | this.#take(1)
      if (code <= (limits[length] ?? -1)) return symbols[code - (bases[length] ?? 0)] ?? 0
    }
    throw damaged()
  }

  async *#decodeBlock(crc: number): AsyncGenerator<Uint8Array> {
    if (this.#take(1) === 1) throw new InflateError("randomized blocks of bzip2 0.9 are not supported")
    const first = this.#take(24)
    const { codes, selectors, used } = this.#readTables()
    const block = this.#block
    const end = used.length + 1
    let [length, run, weight, isDone] = [0, 0, 1, false]
    const counts = new Uint32Array(256)
    for (let group = 0; group < selectors.length && !isDone; group++) {
      await this.#reader.ensure(groupBytes)
      if (group % 64 === 63) await this.#reader.pause()
      const code = codes[selectors[group] ?? 0]
      if (code === undefined) throw damaged()
      for (let at = 0; at < groupSymbols; at++) {
        const symbol = this.#symbol(code)
        if (symbol < 2) {
          run += weight << symbol
          weight *= 2
          if (run > block.length) throw damaged()
          continue
        }
        if (run > 0) {
          if (length + run > block.length) throw damaged()
          const byte = used[0] ?? 0
          block.fill(byte, length, length + run)
          counts[byte] = (counts[byte] ?? 0) + run
          length += run
          ;[run, weight] = [0, 1]
        }
        if (symbol === end) {
          isDone = true
          break
        }
        if (length >= block.length) throw damaged()
        const byte = used[symbol - 1] ?? 0
        used.copyWithin(1, 0, symbol - 1)
        used[0] = byte
        block[length++] = byte
        counts[byte] = (counts[byte] ?? 0) + 1
      }
    }
    if (!isDone || first >= length) throw damaged()
    this.#link(counts, length)
    yield* this.#write(first, length, crc)
  }

  /** Stores above each byte where the byte after it is: the inverse of the Burrows-Wheeler transform. */
  #link(counts: Uint32Array, length: number): void {
    const block = this.#block
    let sum = 0
    const starts = counts.map((count) => (sum += count) - count)
    for (let at = 0; at < length; at++) {
      const byte = (block[at] ?? 0) & 255
      const place = starts[byte] ?? 0
      starts[byte] = place + 1
      block[place] = ((block[place] ?? 0) & 255 | at << 8) >>> 0
    }
  }

  /** Yields the bytes of the block; after four equal bytes, a number gives the count of further ones. */
  *#write(first: number, length: number, crc: number): Generator<Uint8Array> {
    const block = this.#block
    const out = new Uint8Array(outputBytes + 256)
    let [used, state, previous, equal] = [0, -1, -1, 0]
    let next = (block[first] ?? 0) >>> 8
    for (let at = 0; at < length; at++) {
      const entry = block[next] ?? 0
      next = entry >>> 8
      const byte = entry & 255
      if (equal === 4) {
        for (let left = byte; left > 0; left--) {
          out[used++] = previous
          state = state << 8 ^ (crcTable[state >>> 24 ^ previous] ?? 0)
        }
        equal = 0
        previous = -1
      } else {
        equal = byte === previous ? equal + 1 : 1
        previous = byte
        out[used++] = byte
        state = state << 8 ^ (crcTable[state >>> 24 ^ byte] ?? 0)
      }
      if (used < outputBytes) continue
      yield out.subarray(0, used)
      used = 0
    }
    yield out.subarray(0, used)
    if (~state >>> 0 !== crc) throw damaged()
  }
}

/** Decompresses all streams that follow one another, in pieces that are valid until the next one. */
export async function* bunzip2Pieces(reader: ByteReader): AsyncGenerator<Uint8Array> {
  while (await isBzip2(reader)) {
    const head = await reader.take(4)
    yield* new BlockDecoder(reader, (head[3] ?? 0) - 48).run()
  }
}
