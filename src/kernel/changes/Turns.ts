/** Gives the event loop its turns during a long computation, which ends early when it is interrupted. */
import * as Effect from "effect/Effect"
import { callbackLater } from "../../base/waits.ts"

/** Milliseconds of work between two turns of the event loop. */
const sliceMillis = 8

class Interrupted extends Error {}

const isFunction = (value: unknown): value is (callback: () => void) => unknown => typeof value === "function"

/** A timer of 0 ms takes a millisecond or more: `setImmediate` where there is one. */
const nextTurn = (): Promise<void> => {
  const immediate: unknown = Reflect.get(globalThis, "setImmediate")
  return new Promise((resolve) => isFunction(immediate) ? void immediate(resolve) : void setTimeout(resolve, 0))
}

export class Turns {
  #start = performance.now()
  #isOver = false
  #onStop: (() => void) | undefined

  /** Waits for a turn of the event loop if the last one is some milliseconds ago. Throws once it is interrupted. */
  readonly pause = (): Promise<void> | undefined => {
    this.check()
    return performance.now() - this.#start < sliceMillis ? undefined : this.#turn()
  }

  /** Throws once the computation is interrupted. */
  check(): void {
    if (this.#isOver) throw new Interrupted()
  }

  async #turn(): Promise<void> {
    await nextTurn()
    this.check()
    this.#start = performance.now()
  }

  /** Waits for a callback, or until the computation is interrupted. */
  wait(register: (wake: () => void) => () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const forget = register(() => {
        this.#onStop = undefined
        resolve()
      })
      this.#onStop = () => {
        forget()
        reject(new Interrupted())
      }
    })
  }

  /** Runs a generator to its end, with turns. */
  async run<A>(steps: Generator<void, A, void>): Promise<A> {
    for (;;) {
      const next = steps.next()
      if (next.done === true) return next.value
      await this.pause()
    }
  }

  stop(): void {
    this.#isOver = true
    this.#onStop?.()
  }
}

/** Runs a computation with turns; an interruption waits until it has stopped. `failed` returns the errors to be expected. */
export const withTurns = <A, E>(
  work: (turns: Turns) => Promise<A>,
  failed: (cause: unknown) => E | undefined,
): Effect.Effect<A, E> =>
  callbackLater<A, E>((resume) => {
    const turns = new Turns()
    const done = work(turns).then(
      (value) => resume(Effect.succeed(value)),
      (cause: unknown) => {
        const error = failed(cause)
        resume(error === undefined ? Effect.die(cause) : Effect.fail(error))
      },
    )
    return Effect.suspend(() => {
      turns.stop()
      return Effect.promise(() => done)
    })
  })
