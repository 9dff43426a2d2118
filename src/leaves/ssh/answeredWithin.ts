/** Limits the wait for a server's answer. */
import * as Effect from "effect/Effect"
import { maxTimerMillis } from "../../base/maxTimerMillis.ts"
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
    Effect.as(Effect.tap(pause(Math.min(millis, maxTimerMillis)), () => Effect.sync(onTimeout)), undefined),
  )
