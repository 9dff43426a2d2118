import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeReplayClock } from "../../../src/cli/journal/replay.ts"

/** When each of some instants of a recording comes, by a clock that goes on 10 ms at a time. */
const paced = (times: ReadonlyArray<number>, speed: number, late = 0) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(50_000)
    const came: Array<number> = []
    const replay = Effect.gen(function* () {
      const wait = yield* makeReplayClock(1_000_000, speed)
      for (const time of times) {
        yield* wait(1_000_000 + time)
        came.push((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - 50_000)
        // Writing takes its time.
        yield* Effect.sleep(late)
      }
    })
    const fiber = yield* Effect.forkChild(replay)
    for (let step = 0; step < 500 && fiber.pollUnsafe() === undefined; step++) yield* TestClock.adjust(10)
    yield* Fiber.join(fiber)
    return came
  })

it.effect("waits as long as the recorded run took", () =>
  Effect.gen(function* () {
    expect(yield* paced([0, 100, 100, 1_000, 3_000], 1)).toEqual([0, 100, 100, 1_000, 3_000])
  }))

it.effect("waits half as long at twice the speed, and twice as long at half", () =>
  Effect.gen(function* () {
    expect(yield* paced([100, 1_000], 2)).toEqual([50, 500])
    expect(yield* paced([100, 1_000], 0.5)).toEqual([200, 2_000])
  }))

it.effect("does not wait at the highest speed", () =>
  Effect.gen(function* () {
    expect(yield* paced([0, 100, 1e9], Infinity)).toEqual([0, 0, 0])
  }))

it.effect("subtracts the time of slow writes, and never waits a negative time", () =>
  Effect.gen(function* () {
    expect(yield* paced([100, 200, 300], 1, 50)).toEqual([100, 200, 300])
    expect(yield* paced([100, 110, 500], 1, 50)).toEqual([100, 150, 500])
    expect(yield* paced([100, 50, -1_000, 200], 1)).toEqual([100, 100, 100, 200])
  }))
