/**
 * So many at once.
 *
 * @module
 */

/** Counts who is there. */
export class ConcurrencyLimit {
  /** How many there are. */
  readonly max: number
  #taken = 0

  constructor(most: number) {
    this.max = most
  }

  /** Takes a place, and answers with how to give it back; `undefined` when there is none. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.max) return undefined
    this.#taken++
    let taken = true
    return () => {
      if (!taken) return
      taken = false
      this.#taken--
    }
  }
}
