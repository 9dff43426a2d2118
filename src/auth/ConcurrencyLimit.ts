/**
 * Limits how many commands run at once, for a route or a token: without a free permit a caller is refused instead of waiting.
 *
 * Effect's `Semaphore` waits for a permit.
 */
/** Grants at most `max` permits at a time. */
export class ConcurrencyLimit {
  readonly max: number
  #acquired = 0

  constructor(max: number) {
    this.max = max
  }

  /** Acquires a permit and returns the function that releases it, once; `undefined` if none is free. */
  tryAcquire(): (() => void) | undefined {
    if (this.#acquired >= this.max) return undefined
    this.#acquired++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#acquired--
    }
  }
}
