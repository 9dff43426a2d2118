/** Limits the wait for a server's answer. */
import * as Effect from "effect/Effect"
import { pause } from "../../host/waitRealTime.ts"

/**
 * Bounds an answer of the server in real time, whatever clock the program has: `undefined`, and a call of `onTimeout`, after so
 * long.
 */
export const answeredWithin = <A, E>(
  answer: Effect.Effect<A, E>,
  millis: number,
  onTimeout: () => void = () => {},
): Effect.Effect<A | undefined, E> =>
  Effect.raceFirst(
    answer,
    Effect.as(Effect.tap(pause(millis), () => Effect.sync(onTimeout)), undefined),
  )
