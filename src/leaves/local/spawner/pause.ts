/**
 * Waiting in real time: the death of a process is an event of the machine, which no other Clock hastens.
 *
 * @module
 */
import * as Effect from "effect/Effect"

/** Waits so many milliseconds of the machine's time. */
export const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Asks until the answer is yes, at most for so many milliseconds; answers whether it was. */
export const until: (question: Effect.Effect<boolean>, millis: number) => Effect.Effect<boolean> = Effect.fnUntraced(
  function* (question: Effect.Effect<boolean>, millis: number) {
    const deadline = performance.now() + millis
    for (let round = 0;; round++) {
      if (yield* question) return true
      const left = deadline - performance.now()
      if (left <= 0) return false
      yield* pause(Math.min(left, 50, 2 + 4 * round))
    }
  },
)
