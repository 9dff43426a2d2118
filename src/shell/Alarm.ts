/**
 * One timer for all the times a running command has to keep.
 *
 * @module
 */
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"

/** Milliseconds of the clock's monotonic time. */
export const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/**
 * Wakes its owner at or before the time it was set to. A later time costs nothing: the timer that runs wakes early
 * and the owner sets it again, so that a timer which moves with every byte is started a few times a second.
 */
export class Alarm {
  readonly #clock: Clock.Clock
  readonly #context: Context.Context<never>
  readonly #wake: () => void
  #fiber: Fiber.Fiber<void> | undefined
  #at = Infinity

  constructor(clock: Clock.Clock, context: Context.Context<never>, wake: () => void) {
    this.#clock = clock
    this.#context = context
    this.#wake = wake
  }

  /** Wakes at `atMillis` of the monotonic clock, or earlier. `Infinity` sets nothing. */
  set(atMillis: number): void {
    if (atMillis === Infinity || this.#at <= atMillis) return
    this.clear()
    this.#at = atMillis
    const wait = Math.max(0, atMillis - monotonicMillis(this.#clock))
    // Rounded up: a timer that fires a fraction early would find nothing due.
    const sleep = this.#clock.sleep(Duration.millis(Math.ceil(wait)))
    this.#fiber = Effect.runForkWith(this.#context)(
      Effect.andThen(
        sleep,
        Effect.sync(() => {
          this.#fiber = undefined
          this.#at = Infinity
          this.#wake()
        }),
      ),
    )
  }

  /** Stops the timer. */
  clear(): void {
    const fiber = this.#fiber
    this.#fiber = undefined
    this.#at = Infinity
    fiber?.interruptUnsafe()
  }
}
