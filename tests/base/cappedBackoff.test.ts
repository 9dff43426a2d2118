import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { cappedBackoff } from "../../src/base/cappedBackoff.ts"

it.effect("doubles the delay up to its maximum", () =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      times.push(now)
      return times.length < 7 ? Effect.fail("again") : Effect.void
    })
    const fiber = yield* Effect.forkChild(Effect.retry(attempt, cappedBackoff("10 millis", "50 millis")))
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(fiber)
    expect(times).toEqual([0, 10, 30, 70, 120, 170, 220])
  }))
