/** Pulls the output of a command, and flushes what is held back of it when the output is silent. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { callbackLater } from "../base/waits.ts"
import { scheduleNextTurn } from "../shell/scheduleNextTurn.ts"

/** Time does not tell silence from a busy event loop, which fires timers before it reads. */
const nextTurn: Effect.Effect<void> = callbackLater((resume) => {
  scheduleNextTurn(() => resume(Effect.void))
})

/** Pulls once; runs `flush` if nothing has come after a silence, and waits on. */
export const flushInSilence = <A, E, F, R>(
  pull: Effect.Effect<A, E, R>,
  flush: Effect.Effect<unknown, F>,
  silence: Duration.Input,
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
