/**
 * Connects abort signals to callbacks, fibers and Effects, and disconnects them again.
 *
 * A listener on a signal that lives as long as its server would otherwise keep everything that it refers to.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { callbackLater } from "./waits.ts"

/**
 * Calls `listener` once when a signal aborts, at once if it has aborted already. Returns a function that removes the
 * listener.
 */
export const onAbort = (signal: AbortSignal | undefined, listener: () => void): () => void => {
  if (signal === undefined) return () => {}
  if (signal.aborted) {
    listener()
    return () => {}
  }
  signal.addEventListener("abort", listener, { once: true })
  return () => signal.removeEventListener("abort", listener)
}

/** Waits until a signal aborts. */
export const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  callbackLater((resume) => {
    const remove = onAbort(signal, () => resume(Effect.void))
    return Effect.sync(remove)
  })

/** Interrupts a fiber when a signal aborts; the listener is removed when the fiber ends. */
export const interruptOnAbort = <A, E>(fiber: Fiber.Fiber<A, E>, signal: AbortSignal | undefined): void => {
  const remove = onAbort(signal, () => fiber.interruptUnsafe())
  fiber.addObserver(remove)
}
