/** Reads the monotonic clock, which changes of the date do not move, to measure times. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Milliseconds from an arbitrary beginning. */
export const monotonicMillisOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

const defaultClock = /* @__PURE__ */ Context.get(Context.empty(), Clock.Clock)

/** {@link monotonicMillisOf} Effect's default clock, for use outside of an Effect. */
export const elapsedMillis = (): number => monotonicMillisOf(defaultClock)

/** {@link monotonicMillisOf} the clock of the fiber, in whole milliseconds. */
export const monotonicMillis: Effect.Effect<number> = Clock.clockWith((clock) =>
  Effect.sync(() => Math.floor(monotonicMillisOf(clock)))
)
