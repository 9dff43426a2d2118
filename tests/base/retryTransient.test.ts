import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { retryTransient } from "../../src/base/retryTransient.ts"

const options = { isTransient: (error: string) => error === "busy", minPauseMillis: 100, maxPauseMillis: 400 }

/** Runs attempts that fail as listed, then succeed; returns the times of the attempts and the outcome. */
const attempts = (timeoutMillis: number, ...errors: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const attempt = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const error = errors[times.push(now) - 1]
      return error === undefined ? Effect.succeed("done") : Effect.fail(error)
    })
    const fiber = yield* Effect.forkChild(Effect.result(retryTransient(attempt, { ...options, timeoutMillis })))
    for (let round = 0; round < 100 && fiber.pollUnsafe() === undefined; round++) yield* TestClock.adjust(50)
    return { times, outcome: yield* Fiber.join(fiber) }
  })

it.effect("pauses for half to all of a time that doubles up to a maximum", () =>
  Effect.gen(function* () {
    const { outcome, times } = yield* attempts(1e6, "busy", "busy", "busy", "busy", "busy")
    expect(outcome).toMatchObject({ _tag: "Success", success: "done" })
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    for (const [index, longest] of [100, 200, 400, 400, 400].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2)
      expect(pauses[index]).toBeLessThanOrEqual(longest)
    }
  }))

it.effect("makes the last attempt at the end of the time, and fails with its error", () =>
  Effect.gen(function* () {
    const { outcome, times } = yield* attempts(500, ...Array.from({ length: 50 }, () => "busy"))
    expect(outcome).toMatchObject({ _tag: "Failure", failure: "busy" })
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBe(500)
  }))

it.effect("tries once with no time, and once for an error that is not transient", () =>
  Effect.gen(function* () {
    expect((yield* attempts(0, "busy")).times).toHaveLength(1)
    const { outcome, times } = yield* attempts(1_000, "broken")
    expect([outcome._tag, times.length]).toEqual(["Failure", 1])
  }))
