/** Notifies each listener once that a connection or a session is lost, including listeners that register later. */

/** Whether something is lost, with the listeners. */
export class Loss {
  readonly #listeners = new Set<() => void>()
  #isLost = false

  /** Whether it is lost. */
  readonly isLost = (): boolean => this.#isLost

  /** Calls `done` when it is lost, at once if it is; returns the function that stops that. */
  readonly onLost = (done: () => void): () => void => {
    if (this.#isLost) done()
    else this.#listeners.add(done)
    return () => void this.#listeners.delete(done)
  }

  /** Marks the connection as lost, and calls the listeners. */
  readonly lose = (): void => {
    if (this.#isLost) return
    this.#isLost = true
    for (const listener of [...this.#listeners]) listener()
    this.#listeners.clear()
  }
}
