import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { isInTime, pause } from "../../src/host/waitRealTime.ts"

const month = 30 * 86_400_000

it.live("waits for a month or for ever, which a timer of the host would not", () =>
  Effect.gen(function* () {
    const soon = () => Effect.runPromise(pause(20))
    for (const millis of [month, Infinity]) {
      expect(yield* Effect.promise(() => isInTime(soon(), millis))).toBe(true)
      const winner = Effect.raceFirst(Effect.as(pause(millis), "late"), Effect.as(pause(20), "soon"))
      expect(yield* winner).toBe("soon")
    }
  }))
