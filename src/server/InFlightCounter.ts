/** Counts requests that are in flight, and waits until there are none. */
import * as Effect from "effect/Effect"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { runPromise } from "../base/stderrLogs.ts"

export class InFlightCounter {
  #count = 0
  #whenNone: (() => void) | undefined

  /** Starts one; returns the function that ends it. Further calls of that function do nothing. */
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

  /** Waits until there are none, for at most `timeout`. One caller waits at a time. */
  async waitForNone(timeout: DurationInput): Promise<void> {
    const limit = durationOf("drain", timeout)
    if (this.#count === 0) return
    const none = new Promise<void>((resolve) => this.#whenNone = resolve)
    await runPromise(Effect.timeoutOption(Effect.promise(() => none), limit))
  }
}
