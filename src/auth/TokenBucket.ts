/** Token-bucket rate limiter. */
import { OptionError } from "../base/OptionError.ts"

/** A bucket of `capacity` permits that refills evenly over a time span; it is full at first. */
export class TokenBucket {
  readonly #capacity: number
  readonly #refillMillis: number
  #permits: number
  #lastMillis: number | undefined

  /** `refillMillis` is the time in which an empty bucket fills. Throws an `OptionError` below one permit. */
  constructor(capacity: number, refillMillis: number) {
    if (!(capacity >= 1) || !(refillMillis > 0)) {
      throw new OptionError("rate", "rate: write at least one request in a time above zero")
    }
    this.#capacity = capacity
    this.#refillMillis = refillMillis
    this.#permits = capacity
  }

  /** Takes a permit and returns 0, or returns the milliseconds until the next one. */
  take(nowMillis: number): number {
    // Clocks step back.
    const elapsed = Math.max(0, nowMillis - (this.#lastMillis ?? nowMillis))
    this.#lastMillis = nowMillis
    this.#permits = Math.min(this.#capacity, this.#permits + elapsed * this.#capacity / this.#refillMillis)
    if (this.#permits >= 1) {
      this.#permits--
      return 0
    }
    return (1 - this.#permits) * this.#refillMillis / this.#capacity
  }
}
