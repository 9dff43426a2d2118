/** Reads the wall clock outside of an Effect, without a fiber for each read. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"

const clock = /* @__PURE__ */ Context.get(Context.empty(), Clock.Clock)

/** Milliseconds since 1970 by Effect's default clock. */
export const wallClockMillis = (): number => clock.currentTimeMillisUnsafe()
