/** Random numbers of `rand` and `srand`: Mulberry32. */
export class RandomNumbers {
  #seed = 0
  #state = 0

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** Starts a new sequence; returns the seed before it. */
  seed(seed: number): number {
    const before = this.#seed
    this.#seed = seed
    this.#state = Number.isFinite(seed) ? Math.trunc(seed % 4_294_967_296) : 0
    return before
  }
}
