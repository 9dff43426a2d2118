/**
 * How those who wait for entries learn that there may be more: every one of them, each time.
 *
 * @module
 */
import * as Effect from "effect/Effect"

/** Counts what happened, and wakes all who wait for the next. */
export class Notifier {
  #count = 0
  readonly #waiting = new Set<() => void>()

  /** How often it was woken: remember it before looking, and wait for more than that. */
  get count(): number {
    return this.#count
  }

  /** Something may have happened. */
  wake = (): void => {
    this.#count++
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }

  /** Waits until the count is above `seen`. */
  readonly beyond = (seen: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      if (this.#count > seen) return resume(Effect.void)
      const go = (): void => resume(Effect.void)
      this.#waiting.add(go)
      return Effect.sync(() => this.#waiting.delete(go))
    })
}
