/** Non-blocking concurrency limit: unlike Effect's `Semaphore`, it refuses a caller instead of letting it wait. */
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
