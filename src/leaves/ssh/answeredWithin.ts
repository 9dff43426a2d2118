/** Limits the wait for a server's answer. */
import * as Effect from "effect/Effect"
import { pause } from "../../host/waitRealTime.ts"

/**
 * Limits the wait for the server's answer in real time, whatever the program's clock. After the limit it calls
 * `onTimeout` and returns `undefined`.
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
