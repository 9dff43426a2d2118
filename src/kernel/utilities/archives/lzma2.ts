/**
 * Decompresses LZMA2 data piece by piece, in plain JavaScript, since an edge isolate neither loads native code nor
 * compiles WebAssembly from bytes. Source: the LZMA specification of the LZMA SDK; the .xz file format 1.2.
 */
import type { ByteReader } from "./ByteReader.ts"
import { InflateError } from "./inflate.ts"

const damaged = (): InflateError => new InflateError("Compressed data is corrupt")
export const truncatedXz = (): InflateError => new InflateError("Unexpected end of input")

/** That of `xz -9`. */
const maxDictionaryBytes = 64 * 1024 * 1024
const maxChunkBytes = 2 * 1024 * 1024
const pieceBytes = 65_536

/** Offsets of the probabilities. */
const offsets = { match: 0, rep: 192, rep0: 204, rep1: 216, rep2: 228, long: 240, slot: 432, special: 688, align: 816 }
const lengthCoder = 832
const repLengthCoder = lengthCoder + 514
const literals = repLengthCoder + 514
const matchedLiterals = 0x100

export class Lzma2Decoder {
  readonly #reader: ByteReader
  readonly #dictionaryBytes: number
  #dictionary: Uint8Array
  /** The next position in the dictionary, and the number of bytes written since it was reset. */
  #at = 0
  #total = 0
  readonly #probs = new Uint16Array(literals + 0x300 * 16)
  #lc = 0
  #literalMask = 0
  #positionMask = 0
  #state = 0
  #reps: [number, number, number, number] = [0, 0, 0, 0]
  /** Compressed bytes so far. */
  consumed = 0

  constructor(reader: ByteReader, dictionaryBytes: number) {
    if (dictionaryBytes > maxDictionaryBytes) {
      throw new InflateError(`a dictionary of more than ${maxDictionaryBytes} bytes is not supported`)
    }
    this.#reader = reader
    this.#dictionaryBytes = Math.max(4_096, dictionaryBytes)
    this.#dictionary = new Uint8Array(Math.min(this.#dictionaryBytes, 65_536))
  }

  async #take(count: number): Promise<Uint8Array> {
    const bytes = await this.#reader.take(count)
    if (bytes.length < count) throw truncatedXz()
    this.consumed += count
    return bytes
  }

  async *run(): AsyncGenerator<Uint8Array> {
    let [needsReset, needsState, needsProperties] = [true, true, true]
    for (;;) {
      await this.#reader.pause()
      const control = (await this.#take(1))[0] ?? 0
      if (control === 0) return
      if (control >= 0xe0 || control === 1) {
        needsReset = false
        this.#total = 0
      } else if (needsReset) throw damaged()
      const isStored = control < 0x80
      if (isStored && control > 2) throw damaged()
      const [a = 0, b = 0, c = 0, d = 0] = await this.#take(isStored ? 2 : 4)
      const size = ((isStored ? 0 : control & 31) << 16 | a << 8 | b) + 1
      const start = this.#at
      this.#grow(size)
      if (isStored) {
        needsState = true
        for (let left = size; left > 0;) {
          const bytes = await this.#take(Math.min(left, pieceBytes))
          for (const byte of bytes) this.#put(byte)
          left -= bytes.length
        }
      } else {
        if (control >= 0xc0) {
          this.#setProperties((await this.#take(1))[0] ?? 0)
          needsProperties = false
        } else if (needsProperties) throw damaged()
        if (control >= 0xa0) {
          this.#resetState()
          needsState = false
        } else if (needsState) throw damaged()
        this.#decode(await this.#take((c << 8 | d) + 1), size)
      }
      yield* this.#written(start, size)
    }
  }

  /** Makes room for a chunk, so that a dictionary grows only with the decompressed data. */
  #grow(size: number): void {
    const { length } = this.#dictionary
    // A chunk is whole in the dictionary until it is yielded.
    const limit = Math.max(this.#dictionaryBytes, maxChunkBytes)
    if (this.#at + size < length || length === limit) return
    const grown = new Uint8Array(Math.min(limit, Math.max(2 * length, this.#at + size + 1)))
    grown.set(this.#dictionary.subarray(0, this.#at))
    this.#dictionary = grown
  }

  *#written(start: number, size: number): Generator<Uint8Array> {
    for (let [at, left] = [start, size]; left > 0;) {
      const length = Math.min(left, pieceBytes, this.#dictionary.length - at)
      yield this.#dictionary.subarray(at, at + length)
      left -= length
      at = (at + length) % this.#dictionary.length
    }
  }

  #put(byte: number): void {
    this.#dictionary[this.#at++] = byte
    if (this.#at === this.#dictionary.length) this.#at = 0
    this.#total++
  }

  #setProperties(byte: number): void {
    if (byte >= 225) throw damaged()
    const [lc, lp, pb] = [byte % 9, Math.floor(byte / 9) % 5, Math.floor(byte / 45)]
    if (lc + lp > 4) throw damaged()
    this.#lc = lc
    this.#literalMask = (1 << lp) - 1
    this.#positionMask = (1 << pb) - 1
  }

  #resetState(): void {
    this.#state = 0
    this.#reps = [0, 0, 0, 0]
    this.#probs.fill(1_024)
  }

  /** Decodes the bytes of one chunk, which ends where its input ends. */
  #decode(input: Uint8Array, size: number): void {
    const probs = this.#probs
    let at = 5
    let range = 0xffffffff
    if (input.length < 5 || input[0] !== 0) throw damaged()
    let code = new DataView(input.buffer, input.byteOffset).getUint32(1)
    const normalize = (): void => {
      if (range >= 0x1000000) return
      range = range << 8 >>> 0
      // Beyond the end the bytes are zero; the check at the end detects this.
      code = (code << 8 | (input[at++] ?? 0)) >>> 0
    }
    const bit = (index: number): number => {
      normalize()
      const prob = probs[index] ?? 0
      const bound = (range >>> 11) * prob
      if (code < bound) {
        range = bound
        probs[index] = prob + (2_048 - prob >> 5)
        return 0
      }
      range -= bound
      code -= bound
      probs[index] = prob - (prob >> 5)
      return 1
    }
    const tree = (from: number, bits: number): number => {
      let symbol = 1
      for (let left = bits; left > 0; left--) symbol = symbol << 1 | bit(from + symbol)
      return symbol - (1 << bits)
    }
    const reverseTree = (from: number, bits: number): number => {
      let [symbol, value] = [1, 0]
      for (let place = 0; place < bits; place++) {
        const next = bit(from + symbol)
        symbol = symbol << 1 | next
        value |= next << place
      }
      return value
    }
    const direct = (bits: number): number => {
      let value = 0
      for (let left = bits; left > 0; left--) {
        normalize()
        range >>>= 1
        const isSet = code >= range
        if (isSet) code -= range
        value = value << 1 | (isSet ? 1 : 0)
      }
      return value
    }
    const lengthOf = (coder: number, position: number): number => {
      if (bit(coder) === 0) return 2 + tree(coder + 2 + position * 8, 3)
      if (bit(coder + 1) === 0) return 10 + tree(coder + 130 + position * 8, 3)
      return 18 + tree(coder + 258, 8)
    }
    const distanceOf = (length: number): number => {
      const slot = tree(offsets.slot + Math.min(length - 2, 3) * 64, 6)
      if (slot < 4) return slot
      const bits = (slot >> 1) - 1
      const base = (2 | slot & 1) << bits >>> 0
      if (slot < 14) return base + reverseTree(offsets.special + base - slot - 1, bits)
      return base + direct(bits - 4) * 16 + reverseTree(offsets.align, 4)
    }
    let [a, b, c, d] = this.#reps
    let state = this.#state
    for (let left = size; left > 0;) {
      const position = this.#total & this.#positionMask
      if (bit(offsets.match + (state << 4) + position) === 0) {
        const previous = this.#total === 0 ? 0 : this.#back(0)
        const context = ((this.#total & this.#literalMask) << this.#lc) + (previous >> 8 - this.#lc)
        const from = literals + 0x300 * context
        let symbol = 1
        if (state >= 7) {
          let matched = this.#back(a)
          while (symbol < 0x100) {
            const expected = matched >> 7 & 1
            matched <<= 1
            const next = bit(from + (1 + expected) * matchedLiterals + symbol)
            symbol = symbol << 1 | next
            if (next !== expected) break
          }
        }
        while (symbol < 0x100) symbol = symbol << 1 | bit(from + symbol)
        this.#put(symbol & 255)
        left--
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6
        continue
      }
      let length: number
      if (bit(offsets.rep + state) === 0) {
        length = lengthOf(lengthCoder, position)
        ;[a, b, c, d] = [distanceOf(length), a, b, c]
        state = state < 7 ? 7 : 10
      } else {
        let isShort = false
        if (bit(offsets.rep0 + state) === 0) isShort = bit(offsets.long + (state << 4) + position) === 0
        else if (bit(offsets.rep1 + state) === 0) [a, b] = [b, a]
        else if (bit(offsets.rep2 + state) === 0) [a, b, c] = [c, a, b]
        else [a, b, c, d] = [d, a, b, c]
        length = isShort ? 1 : lengthOf(repLengthCoder, position)
        state = isShort ? (state < 7 ? 9 : 11) : state < 7 ? 8 : 11
      }
      if (a >= this.#total || a >= this.#dictionaryBytes || length > left) throw damaged()
      this.#copy(a, length)
      left -= length
    }
    normalize()
    if (at !== input.length || code !== 0) throw damaged()
    this.#reps = [a, b, c, d]
    this.#state = state
  }

  /** The byte at this distance before the last one. */
  #back(distance: number): number {
    const at = this.#at - distance - 1
    return this.#dictionary[at < 0 ? at + this.#dictionary.length : at] ?? 0
  }

  #copy(distance: number, length: number): void {
    for (let left = length; left > 0; left--) this.#put(this.#back(distance))
  }
}
