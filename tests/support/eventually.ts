import * as Effect from "effect/Effect"

/** Real time, whatever clock the test runs on: what it waits for is an event of the machine. */
export const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Waits until something is so; a defect that says what was missing after 10 s. */
export const eventually = (what: string, holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (let round = 0; round < 1_000; round++) {
      if (holds()) return
      yield* pause(10)
    }
    return yield* Effect.die(new Error(`never came true: ${what}`))
  })

/** Waits until a number has not changed for `millis`, and answers with it. */
export const settled = (value: () => number, millis = 250): Effect.Effect<number> =>
  Effect.gen(function* () {
    for (let round = 0; round < 100; round++) {
      const before = value()
      yield* pause(millis)
      if (value() === before) return before
    }
    return yield* Effect.die(new Error("it never settled"))
  })
