/**
 * So many in a time.
 *
 * @module
 */

/** A bucket that holds as many as may come at once, and fills evenly over a time. */
export class TokenBucket {
  readonly #most: number
  readonly #perMillis: number
  #left: number
  #at: number | undefined

  constructor(most: number, perMillis: number) {
    if (!(most >= 1) || !(perMillis > 0)) throw new TypeError("tokens: a rate is at least one request in a time")
    this.#most = most
    this.#perMillis = perMillis
    this.#left = most
  }

  /** Takes one: 0, or the milliseconds until there is one again. */
  take(nowMillis: number): number {
    // Clocks step back.
    const passed = Math.max(0, nowMillis - (this.#at ?? nowMillis))
    this.#at = nowMillis
    this.#left = Math.min(this.#most, this.#left + passed * this.#most / this.#perMillis)
    if (this.#left >= 1) {
      this.#left--
      return 0
    }
    return (1 - this.#left) * this.#perMillis / this.#most
  }
}
