/** Polls a version, such as SQLite's `data_version`, and calls back when another connection has written. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

/**
 * Calls `wake` when `version` returns another text, or throws: the next read reports the error. One poll takes a few
 * microseconds.
 *
 * Uses a timer of the runtime, not Effect's Clock: the writers are other processes, whose time no test controls, and on
 * Deno each suspension of a fiber costs memory.
 */
export const watchVersion = (
  version: () => string,
  intervalMillis: number,
  wake: () => void,
): Effect.Effect<void, never, Scope.Scope> => {
  const read = (): string | undefined => {
    try {
      return version()
    } catch {
      return undefined
    }
  }
  return Effect.asVoid(Effect.acquireRelease(
    Effect.sync(() => {
      let last = read()
      return setInterval(() => {
        const now = read()
        if (now !== undefined && now === last) return
        last = now
        wake()
      }, intervalMillis)
    }),
    (timer) => Effect.sync(() => clearInterval(timer)),
  ))
}
