/**
 * So many at once.
 *
 * @module
 */

/** Counts who is there. */
export class Places {
  /** How many there are. */
  readonly most: number
  #taken = 0

  constructor(most: number) {
    this.most = most
  }

  /** Takes a place, and answers with how to give it back; `undefined` when there is none. */
  take(): (() => void) | undefined {
    if (this.#taken >= this.most) return undefined
    this.#taken++
    let taken = true
    return () => {
      if (!taken) return
      taken = false
      this.#taken--
    }
  }
}
