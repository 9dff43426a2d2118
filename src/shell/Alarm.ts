/** Wakes a running command at its next deadline with one timer that can be moved. */
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { monotonicMillisOf } from "../base/monotonicTime.ts"

/**
 * Wakes its owner at or before the set time. Setting a later time costs nothing: the running timer wakes the owner
 * early, and the owner sets the alarm again. A deadline that moves with every byte therefore starts a timer only a few
 * times a second.
 */
export class Alarm {
  readonly #clock: Clock.Clock
  readonly #context: Context.Context<never>
  readonly #wake: () => void
  #fiber: Fiber.Fiber<void> | undefined
  #at = Infinity
  #turn = 0

  constructor(clock: Clock.Clock, context: Context.Context<never>, wake: () => void) {
    this.#clock = clock
    this.#context = context
    this.#wake = wake
  }

  /** Sets the time to wake at, on the monotonic clock; it may wake earlier. `Infinity` has no effect. */
  set(atMillis: number): void {
    if (atMillis === Infinity || this.#at <= atMillis) return
    this.clear()
    this.#at = atMillis
    const wait = Math.max(0, atMillis - monotonicMillisOf(this.#clock))
    // Rounded up: a timer that fires a fraction early would find nothing due.
    const sleep = this.#clock.sleep(Duration.millis(Math.ceil(wait)))
    const turn = this.#turn
    const ring = (): void => {
      if (this.#turn !== turn) return
      this.#fiber = undefined
      this.#at = Infinity
      this.#wake()
    }
    // A clock that does not sleep at all (TestClock, for a time that has passed) must not wake the owner during this
    // call.
    let returned = false
    this.#fiber = Effect.runForkWith(this.#context)(
      Effect.andThen(sleep, Effect.sync(() => returned ? ring() : queueMicrotask(ring))),
    )
    returned = true
  }

  /** Stops the timer. */
  clear(): void {
    this.#turn++
    const fiber = this.#fiber
    this.#fiber = undefined
    this.#at = Infinity
    fiber?.interruptUnsafe()
  }
}
