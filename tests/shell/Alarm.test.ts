import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { monotonicMillisOf } from "../../src/base/monotonicTime.ts"
import { Alarm } from "../../src/shell/Alarm.ts"
import { random } from "../support/random.ts"

/** An alarm, and the times at which it woke. */
const makeAlarm = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const clock = Context.get(context, Clock.Clock)
  const woken: Array<number> = []
  const start = monotonicMillisOf(clock)
  const now = (): number => monotonicMillisOf(clock) - start
  const alarm = new Alarm(clock, context, () => woken.push(now()))
  return { set: (at: number) => alarm.set(start + at), clear: () => alarm.clear(), woken, now }
})

it.effect("wakes once, when its time has come", () =>
  Effect.gen(function* () {
    const { set, woken } = yield* makeAlarm
    set(100)
    yield* TestClock.adjust(99)
    expect(woken).toEqual([])
    yield* TestClock.adjust(1)
    yield* TestClock.adjust(1_000)
    expect(woken).toEqual([100])
  }))

it.effect("wakes at once for a time that has passed, but not before it returns", () =>
  Effect.gen(function* () {
    const { set, woken } = yield* makeAlarm
    yield* TestClock.adjust(50)
    set(20)
    expect(woken).toEqual([])
    yield* TestClock.adjust(0)
    expect(woken).toEqual([50])
  }))

it.effect("keeps the earlier of two times, and wakes for the later only when it is set again", () =>
  Effect.gen(function* () {
    const { set, woken } = yield* makeAlarm
    set(100)
    set(200)
    set(50)
    yield* TestClock.adjust(300)
    expect(woken).toEqual([50])
    set(400)
    yield* TestClock.adjust(100)
    expect(woken).toEqual([50, 400])
  }))

it.effect("does not wake when it has been cleared, or was never set", () =>
  Effect.gen(function* () {
    const { clear, set, woken } = yield* makeAlarm
    set(Infinity)
    set(100)
    clear()
    yield* TestClock.adjust(1_000)
    expect(woken).toEqual([])
    set(2_000)
    yield* TestClock.adjust(1_000)
    expect(woken).toEqual([2_000])
  }))

it.effect("wakes a little late rather than early for a time within a millisecond", () =>
  Effect.gen(function* () {
    const { set, woken } = yield* makeAlarm
    set(10.25)
    yield* TestClock.adjust(10)
    expect(woken).toEqual([])
    yield* TestClock.adjust(1)
    expect(woken).toEqual([11])
  }))

it.effect("never wakes later than the earliest time it was set to since it last woke", () =>
  Effect.gen(function* () {
    for (let seed = 1; seed <= 50; seed++) {
      const { int, next } = random(seed)
      const { clear, now, set, woken } = yield* makeAlarm
      let due = Infinity
      for (let step = 0; step < 30; step++) {
        if (next() < 0.1) {
          clear()
          due = Infinity
        } else {
          const at = now() + int(0, 50)
          set(at)
          due = Math.min(due, at)
        }
        const before = woken.length
        yield* TestClock.adjust(int(0, 30))
        if (due <= now()) {
          expect([seed, woken.length]).toEqual([seed, before + 1])
          expect(woken.at(-1)).toBeLessThanOrEqual(due + 1)
          due = Infinity
        } else {
          expect([seed, woken.length]).toEqual([seed, before])
        }
      }
      clear()
    }
  }))
