/**
 * Retries an operation with jittered exponential backoff while its errors are transient, until a timeout.
 *
 * Not `Effect.retry`, because the timeout counts from the first failure, the last attempt falls on its end, and a
 * caller in an uninterruptible region has to make only the pauses interruptible.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { monotonicMillis } from "./monotonicTime.ts"

/** Selects the errors that are retried, and limits the time. */
export interface TransientRetryOptions<E> {
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
export const retryTransient = <A, E, R>(
  attempt: Effect.Effect<A, E, R>,
  options: TransientRetryOptions<E>,
): Effect.Effect<A, E, R> => Effect.catch(attempt, (error) => retryAfter(error, attempt, options))

/** As `retryTransient`, after a first attempt that failed with `first`. */
export const retryAfter = <A, E, R>(
  first: E,
  attempt: Effect.Effect<A, E, R>,
  options: TransientRetryOptions<E>,
): Effect.Effect<A, E, R> => {
  const { isTransient, maxPauseMillis, minPauseMillis, timeoutMillis, wrapPause = (pause) => pause } = options
  const retry = (error: E, maxMillis: number, deadline: number | undefined): Effect.Effect<A, E, R> =>
    !isTransient(error)
      ? Effect.fail(error)
      : Effect.flatMap(Effect.zip(monotonicMillis, Random.next), ([now, random]) => {
        const end = deadline ?? now + timeoutMillis
        if (now >= end) return Effect.fail(error)
        // Without jitter, two writers that were refused together would collide again. Pauses have whole milliseconds,
        // so that they add up to the timeout: a rounding error would cause another attempt without a pause.
        const pause = Effect.sleep(Math.min(Math.ceil(maxMillis * (0.5 + random / 2)), end - now))
        const next = Effect.catch(attempt, (again) => retry(again, Math.min(maxMillis * 2, maxPauseMillis), end))
        return Effect.andThen(wrapPause(pause), next)
      })
  return retry(first, minPauseMillis, undefined)
}
