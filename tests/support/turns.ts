import * as Effect from "effect/Effect"
import { pause } from "./eventually.ts"

/**
 * Lets everything happen that only waits for its turn: rounds of the event loop, not a time, so that it is enough on a
 * machine that is busy too.
 */
export const turns = (rounds = 30): Effect.Effect<void> =>
  Effect.repeat(pause(0), { times: rounds }).pipe(Effect.asVoid)

/** In the background, and begun. */
export const begun = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.tap(Effect.forkChild(effect, { startImmediately: true }), () => turns())
