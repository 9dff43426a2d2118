/**
 * Retries a store operation with jittered exponential backoff while its errors are transient.
 *
 * Not `Effect.retry`: the deadline counts from the first failure, the last attempt falls on the deadline, and a caller in
 * an uninterruptible region has to make the pauses, and only them, interruptible.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** When an operation is tried again. */
export interface RetryOptions<E> {
  readonly isTransient: (error: E) => boolean
  /** Time after the first failure until the error is final; 0 never tries again. */
  readonly timeoutMillis: number
  /** The first pause; each later one is twice as long. */
  readonly minPauseMillis: number
  readonly maxPauseMillis: number
  /** Wraps each pause, for instance to make it interruptible. */
  readonly wrapPause?: ((pause: Effect.Effect<void>) => Effect.Effect<void>) | undefined
}

/** Runs `attempt`, which may run several times; fails with its last error. */
export const retryTransient = <A, E, R = never>(
  attempt: Effect.Effect<A, E, R>,
  { isTransient, maxPauseMillis, minPauseMillis, timeoutMillis, wrapPause = (pause) => pause }: RetryOptions<E>,
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    let deadline: number | undefined
    let pauseMillis = minPauseMillis
    // Without jitter, two writers that were refused together would collide again.
    const pause = (maxMillis: number): Effect.Effect<void> =>
      Effect.flatMap(Random.next, (random) => {
        const millis = Math.min(pauseMillis * (0.5 + random / 2), maxMillis)
        pauseMillis = Math.min(pauseMillis * 2, maxPauseMillis)
        return Effect.sleep(millis)
      })
    const run: Effect.Effect<A, E, R> = Effect.catch(attempt, (error) => {
      if (!isTransient(error)) return Effect.fail(error)
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        deadline ??= now + timeoutMillis
        return now >= deadline ? Effect.fail(error) : Effect.andThen(wrapPause(pause(deadline - now)), run)
      })
    })
    return run
  })
