import * as Effect from "effect/Effect"

/** Real time, whatever clock the test runs on: what it waits for is an event of the machine. */
export const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** How long a condition may take to come true. Only a test that fails waits so long; a busy machine is slow. */
const maxWaitMillis = 60_000

/** Waits until a condition holds, which is tried every `millis`; dies with its description when it does not within a minute. */
export const eventually = (what: string, holds: () => boolean, millis = 10): Effect.Effect<void> =>
  Effect.gen(function* () {
    const start = performance.now()
    while (!holds()) {
      if (performance.now() - start > maxWaitMillis) {
        return yield* Effect.die(new Error(`never came true: ${what}`))
      }
      yield* pause(millis)
    }
  })

/** Waits until a number has not changed for `millis`, and answers with it. */
export const settled = (value: () => number, millis = 250): Effect.Effect<number> =>
  Effect.gen(function* () {
    const start = performance.now()
    while (performance.now() - start < maxWaitMillis) {
      const before = value()
      yield* pause(millis)
      if (value() === before) return before
    }
    return yield* Effect.die(new Error("it never settled"))
  })
