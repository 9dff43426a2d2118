/** Wakes the fibers that wait for new entries, and counts notifications so that a fiber misses none. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../base/waits.ts"

export class Notifier {
  #count = 0
  readonly #waiting = new Set<() => void>()

  /** The number of notifications: read it before looking for entries, then wait until it is exceeded. */
  get count(): number {
    return this.#count
  }

  notifyAll = (): void => {
    this.#count++
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resume of waiting) resume()
  }

  readonly waitBeyond = (seen: number): Effect.Effect<void> =>
    callbackLater((resume) => {
      if (this.#count > seen) return resume(Effect.void)
      const go = (): void => resume(Effect.void)
      this.#waiting.add(go)
      return Effect.sync(() => this.#waiting.delete(go))
    })
}
