/**
 * Looks whether somebody else has written.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Calls `wake` when `version` has changed, or cannot be told: who is woken will find out why. Every look costs a few
 * microseconds.
 *
 * A timer of the system, and not one of the Clock: what it looks for is done by other processes, whose time no test
 * sets. On Deno it keeps memory flat, too: a fiber that sleeps a hundred times a second would leave something behind
 * each time.
 */
export const watchVersion = (
  version: () => string,
  intervalMillis: number,
  wake: () => void,
): Effect.Effect<void, never, Scope.Scope> => {
  const look = (): string | undefined => {
    try {
      return version()
    } catch {
      return undefined
    }
  }
  return Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      let seen = look()
      return setInterval(() => {
        const now = look()
        if (now !== undefined && now === seen) return
        seen = now
        wake()
      }, intervalMillis)
    }),
    (timer) => Effect.sync(() => clearInterval(timer)),
  ))
}
