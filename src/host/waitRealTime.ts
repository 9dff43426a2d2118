/** Waits in real time instead of by the program's `Clock`, which does not control when a process ends. */
import * as Effect from "effect/Effect"
import { startTimer } from "../base/startTimer.ts"
import { callbackLater } from "../base/waits.ts"

/** Waits for a number of milliseconds. */
export const pause = (millis: number): Effect.Effect<void> =>
  callbackLater((resume) => Effect.sync(startTimer(millis, () => resume(Effect.void))))

/** Waits for a promise for at most `millis`. Resolves with whether it was in time. */
export const isInTime = async (promise: Promise<unknown>, millis: number): Promise<boolean> => {
  let cancel = (): void => {}
  const late = new Promise<boolean>((resolve) => {
    cancel = startTimer(millis, () => resolve(false))
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    cancel()
  }
}

/** Polls a condition until it holds, for at most `millis`. Succeeds with whether it holds. */
export const waitUntil: (condition: Effect.Effect<boolean>, millis: number) => Effect.Effect<boolean> = Effect
  .fnUntraced(
    function* (condition: Effect.Effect<boolean>, millis: number) {
      const deadline = performance.now() + millis
      for (let round = 0;; round++) {
        if (yield* condition) return true
        const left = deadline - performance.now()
        if (left <= 0) return false
        yield* pause(Math.min(left, 50, 2 + 4 * round))
      }
    },
  )
