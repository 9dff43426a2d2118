/** Starts timers of any length: a timer of the host fires at once when its delay is longer than 25 days. */
import { maxTimerMillis } from "./maxTimerMillis.ts"

/** Calls `onTime` once after `millis`, never early; never at all after `Infinity`. Returns a function that cancels it. */
export const startTimer = (millis: number, onTime: () => void): () => void => {
  const due = performance.now() + millis
  let timer: ReturnType<typeof setTimeout> | undefined
  const start = (): void => {
    const left = due - performance.now()
    // Host timers truncate to whole milliseconds.
    timer = left > maxTimerMillis ? setTimeout(start, maxTimerMillis) : setTimeout(onTime, Math.ceil(left))
  }
  if (millis !== Infinity) start()
  return () => clearTimeout(timer)
}
