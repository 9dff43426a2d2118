/**
 * A set of hashes that never grows beyond some hundred bytes: it may hold one too many, never one too few.
 *
 * Source: B. Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970); bits by two hashes as in Kirsch
 * and Mitzenmacher, "Less hashing, same performance" (2006).
 *
 * @module
 */

const firstWords = 16

/** 576 bytes: as many hashes are kept as they are; more are 4,608 bits, of which each hash sets four. */
export const mostWords = 144

const bits = mostWords * 32
const bitsEach = 4

/** The second number of a hash, odd: the first is the hash. */
const stepOf = (hash: number): number => (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1) >>> 0

/** Hashes of 32 bits: exactly while they are few, a Bloom filter beyond. */
export class Sketch {
  #words: Uint32Array = new Uint32Array(firstWords)
  /** How many words are hashes; -1 when they are bits. */
  #count = 0

  /** The bytes of its words. */
  get bytes(): number {
    return this.#words.byteLength
  }

  add(hash: number): void {
    if (this.#count < 0) return this.#set(hash)
    if (this.#has(hash)) return
    if (this.#count === mostWords) {
      this.#blur()
      return this.#set(hash)
    }
    if (this.#count === this.#words.length) {
      const more = new Uint32Array(Math.min(mostWords, 2 * this.#count))
      more.set(this.#words)
      this.#words = more
    }
    this.#words[this.#count++] = hash
  }

  /** Whether a hash may be in it; when it is, always `true`. */
  mayHold(hash: number): boolean {
    if (this.#count >= 0) return this.#has(hash)
    const step = stepOf(hash)
    for (let round = 0, at = hash; round < bitsEach; round++, at = (at + step) >>> 0) {
      const bit = at % bits
      if (((this.#words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false
    }
    return true
  }

  /** Adds what another holds. */
  merge(other: Sketch): void {
    const words = other.#words
    if (other.#count >= 0) {
      for (let index = 0; index < other.#count; index++) this.add(words[index] ?? 0)
      return
    }
    if (this.#count >= 0) this.#blur()
    for (let index = 0; index < mostWords; index++) this.#words[index] = (this.#words[index] ?? 0) | (words[index] ?? 0)
  }

  /** What comes again comes soon: the last first. */
  #has(hash: number): boolean {
    const words = this.#words
    for (let index = this.#count - 1; index >= 0; index--) if (words[index] === hash) return true
    return false
  }

  #set(hash: number): void {
    const step = stepOf(hash)
    for (let round = 0, at = hash; round < bitsEach; round++, at = (at + step) >>> 0) {
      const bit = at % bits
      this.#words[bit >>> 5] = (this.#words[bit >>> 5] ?? 0) | (1 << (bit & 31))
    }
  }

  /** From hashes to bits. */
  #blur(): void {
    const hashes = this.#words.subarray(0, this.#count)
    this.#words = new Uint32Array(mostWords)
    this.#count = -1
    for (const hash of hashes) this.#set(hash)
  }
}
