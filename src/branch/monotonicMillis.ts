/** Reads the clock that no setting of the date moves, for times that are measured. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds from an arbitrary beginning. */
export const monotonicMillis: Effect.Effect<number> = Clock.clockWith((clock) =>
  Effect.sync(() => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n))
)
