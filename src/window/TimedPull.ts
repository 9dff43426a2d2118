/** Pulls elements of a stream, and returns early when held text has been silent for long enough. */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { monotonicMillisOf } from "../base/monotonicTime.ts"
import { callbackLater } from "../base/waits.ts"

/** Tracks the silence of held text. */
export interface SilenceTracker {
  /** Milliseconds from `now` until held text has been silent for long enough; `Infinity` without held text. */
  readonly untilSilent: (now: number) => number
  /** Excludes a period in which no output was read. */
  readonly postpone: (millis: number) => void
}

/** A pull with timestamps, which can wake up before its element arrives. */
export interface TimedPull<A, E, R> {
  /**
   * The exit of a pull, or `undefined` once held text has been silent for long enough. In the second case the pull is
   * still running, and the next call of `next` waits for it.
   */
  readonly next: Effect.Effect<Exit.Exit<A, E> | undefined, never, R>
  /** Monotonic time in milliseconds. */
  readonly now: () => number
  /** Monotonic time at which the last pull returned. */
  readonly pulledAt: () => number
  /** Interrupts a running pull and the timer. */
  readonly close: Effect.Effect<void>
}

const zero = (): number => 0

/** A pull without times, for policies without silence. */
export const untimed = <A, E, R>(pull: Effect.Effect<A, E, R>): TimedPull<A, E, R> => ({
  next: Effect.exit(pull),
  now: zero,
  pulledAt: zero,
  close: Effect.void,
})

/**
 * A pull that can stop waiting without losing its element. The timer is one fiber, started only when text is held; if
 * output has arrived when it wakes, it sleeps for the remaining time, so that a chunk costs no timer. The fibers belong
 * to `scope`, which must close before the scope of the pulled stream.
 */
export const timedPull = <A, E, R>(
  pull: Effect.Effect<A, E, R>,
  silence: SilenceTracker,
  clock: Clock.Clock,
  scope: Scope.Closeable,
): TimedPull<A, E, R> => {
  const now = (): number => monotonicMillisOf(clock)
  let pulledAtMillis = now()
  let pending: Fiber.Fiber<A, E> | undefined
  let wake: (() => void) | undefined
  let sleeping = false

  const timer = (left: number): Effect.Effect<void> =>
    Effect.flatMap(clock.sleep(Duration.millis(left)), () => {
      const still = wake === undefined ? Infinity : silence.untilSilent(now())
      if (still > 0 && still < Infinity) return timer(still)
      sleeping = false
      if (still <= 0) wake?.()
      return Effect.void
    })

  const silenceReached = callbackLater<void>((resume) => {
    wake = () => {
      wake = undefined
      resume(Effect.void)
    }
    // Interruption leaves the pull running for the next call of `next`, or until the scope ends.
    return Effect.sync(() => {
      wake = undefined
    })
  })

  const wait: Effect.Effect<Exit.Exit<A, E> | undefined> = Effect.suspend(() => {
    const exit = pending?.pollUnsafe()
    if (exit !== undefined) {
      pending = undefined
      return Effect.succeed(exit)
    }
    const left = silence.untilSilent(now())
    if (left <= 0) return Effect.undefined
    const waiting = Effect.flatMap(silenceReached, () => wait)
    if (sleeping || left === Infinity) return waiting
    sleeping = true
    return Effect.andThen(Effect.forkIn(timer(left), scope, { startImmediately: true }), waiting)
  })

  const direct = Effect.map(Effect.exit(pull), (exit) => {
    pulledAtMillis = now()
    return exit
  })

  const kept = Effect.flatMap(Effect.forkIn(pull, scope, { startImmediately: true }), (fiber) => {
    pending = fiber
    fiber.addObserver(() => {
      pulledAtMillis = now()
      wake?.()
    })
    return wait
  })

  const next = Effect.suspend(() => {
    if (pending !== undefined) return wait
    const start = now()
    silence.postpone(start - pulledAtMillis)
    return silence.untilSilent(start) === Infinity ? direct : kept
  })

  return { next, now, pulledAt: () => pulledAtMillis, close: Scope.close(scope, Exit.void) }
}
