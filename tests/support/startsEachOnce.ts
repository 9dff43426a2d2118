import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"

/**
 * Starts many callers by `Effect.forEach`, a few at a time, and finds out whether it starts each of them once. Effect 4.1
 * starts one twice, and another never, where the start of a caller resumes the fiber of another in the same turn.
 */
export const startsEachOnce = <E, R>(
  count: number,
  caller: (n: number) => Effect.Effect<unknown, E, R>,
): Effect.Effect<ReadonlyArray<number>, E, R> =>
  Effect.suspend(() => {
    const started: Array<number> = []
    const all = Array.from({ length: count }, (_, n) => n)
    const start = (n: number) => Effect.suspend(() => (started.push(n), caller(n)))
    return Effect.forEach(all, start, { concurrency: 6, discard: true }).pipe(
      Effect.andThen(Effect.sync(() => {
        expect(started).toEqual(all)
        return all
      })),
    )
  })
