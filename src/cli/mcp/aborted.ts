/**
 * Waiting for a signal to be aborted.
 *
 * @module
 */
import * as Effect from "effect/Effect"

/** Ends when a signal is aborted. */
export const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const abort = (): void => resume(Effect.void)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })
