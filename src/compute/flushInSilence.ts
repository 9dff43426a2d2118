/**
 * Pulls the output of a command on a terminal, and flushes text that a redactor holds back when the output is silent.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { callbackLater } from "../base/waits.ts"
import { scheduleNextTurn } from "../shell/scheduleNextTurn.ts"

/**
 * Silence after which held output is stored: hardly noticeable to a person, and long enough to keep one burst of output
 * together.
 */
const silence = "30 millis"

/** A timer cannot distinguish silence from a busy event loop, which fires timers before it reads. */
const nextTurn: Effect.Effect<void> = callbackLater((resume) => {
  scheduleNextTurn(() => resume(Effect.void))
})

export const flushInSilence = <A, E, F, R>(
  pull: Effect.Effect<A, E, R>,
  flush: Effect.Effect<unknown, F>,
): Effect.Effect<A, E | F, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const pulling = yield* Effect.forkChild(restore(pull), { startImmediately: true })
      const waiting = Effect.gen(function* () {
        const early = yield* Effect.timeoutOption(Fiber.await(pulling), silence)
        if (early._tag === "None") {
          yield* nextTurn
          yield* nextTurn
          if (pulling.pollUnsafe() === undefined) yield* flush
        }
        return yield* Fiber.join(pulling)
      })
      return yield* Effect.onError(restore(waiting), () => Fiber.interrupt(pulling))
    })
  )
