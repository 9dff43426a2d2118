/**
 * Pulls output and wakes up when held text has been silent for long enough, without losing the pull.
 *
 * @module
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"

/** What {@link timedPull} has to know of the text that is held, and to tell it. */
export interface SilenceTracker {
  /** Milliseconds from `now` until held text has been silent for long enough; `Infinity` when none is held. */
  readonly untilSilent: (now: number) => number
  /** Nobody listened for so many milliseconds. */
  readonly postpone: (millis: number) => void
}

/** Something to pull from, with the times of what it brings. */
export interface TimedPull<A, E, R> {
  /**
   * The exit of a pull; or nothing, once held text has been silent for long enough: then the pull is still under
   * way, and the next `next` goes on waiting for the same.
   */
  readonly next: Effect.Effect<Exit.Exit<A, E> | undefined, never, R>
  /** Milliseconds on a scale that never goes back. */
  readonly now: () => number
  /** When the last pull came back, on the same scale. */
  readonly pulledAt: () => number
  /** Ends what waits. */
  readonly close: Effect.Effect<void>
}

const timeless = (): number => 0

/** Only pulls: for policies that know no time. */
export const untimed = <A, E, R>(pull: Effect.Effect<A, E, R>): TimedPull<A, E, R> => ({
  next: Effect.exit(pull),
  now: timeless,
  pulledAt: timeless,
  close: Effect.void,
})

/**
 * A pull whose wait can be given up without losing what it brings. The timer is one fiber, begun only when there is something to wait for; when it wakes and output
 * has come meanwhile, it sleeps on for what is left. So a chunk costs no timer. The fibers belong to `scope`, which
 * must close before the scope of what is pulled.
 */
export const timedPull = <A, E, R>(
  pull: Effect.Effect<A, E, R>,
  quiet: SilenceTracker,
  clock: Clock.Clock,
  scope: Scope.Closeable,
): TimedPull<A, E, R> => {
  const now = (): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
  let heardAt = now()
  let pending: Fiber.Fiber<A, E> | undefined
  let wake: (() => void) | undefined
  let sleeping = false

  const timer = (left: number): Effect.Effect<void> =>
    Effect.flatMap(clock.sleep(Duration.millis(left)), () => {
      const still = wake === undefined ? Infinity : quiet.untilSilent(now())
      if (still > 0 && still < Infinity) return timer(still)
      sleeping = false
      if (still <= 0) wake?.()
      return Effect.void
    })

  const asleep = Effect.callback<void>((resume) => {
    wake = () => {
      wake = undefined
      resume(Effect.void)
    }
    // Interrupted, it leaves the pull under way, for whoever asks next or for the scope's end.
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
    const left = quiet.untilSilent(now())
    if (left <= 0) return Effect.succeed(undefined)
    const listening = Effect.flatMap(asleep, () => wait)
    if (sleeping || left === Infinity) return listening
    sleeping = true
    return Effect.andThen(Effect.forkIn(timer(left), scope, { startImmediately: true }), listening)
  })

  const direct = Effect.map(Effect.exit(pull), (exit) => {
    heardAt = now()
    return exit
  })

  const kept = Effect.flatMap(Effect.forkIn(pull, scope, { startImmediately: true }), (fiber) => {
    pending = fiber
    fiber.addObserver(() => {
      heardAt = now()
      wake?.()
    })
    return wait
  })

  const next = Effect.suspend(() => {
    if (pending !== undefined) return wait
    const start = now()
    quiet.postpone(start - heardAt)
    return quiet.untilSilent(start) === Infinity ? direct : kept
  })

  return { next, now, pulledAt: () => heardAt, close: Scope.close(scope, Exit.void) }
}
