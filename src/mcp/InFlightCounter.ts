/**
 * Counts responses that are in flight, and waits until there are none.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { type DurationInput, durationOf } from "../base/duration.ts"

/** Counts what has begun and not ended. */
export class InFlightCounter {
  #count = 0
  #whenNone: (() => void) | undefined

  /** One begins; answers what to call, once or several times, when it has ended. */
  begin(): () => void {
    this.#count++
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#count--
      if (this.#count === 0) this.#whenNone?.()
    }
  }

  /** Waits until there is none, for at most so long. One waits at a time. */
  async waitForNone(patience: DurationInput): Promise<void> {
    if (this.#count === 0) return
    const none = new Promise<void>((resolve) => this.#whenNone = resolve)
    await Effect.runPromise(Effect.timeoutOption(Effect.promise(() => none), durationOf("drain", patience)))
  }
}
