/** Adapts the `Clock` of the Effect program to the clock by which processes tell the time and sleep. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { KernelClock } from "../process/KernelClock.ts"

/**
 * The Effect program's `Clock` as the clock of processes, so that a `TestClock` controls `date` and `sleep` in scripts.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect, Fiber } from "effect"
 * import { TestClock } from "effect/testing"
 *
 * const test = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({ clock: yield* Sandbox.programClock })
 *   const fiber = yield* Effect.forkChild(sandbox.run("sleep 3600; date -u +%H:%M"))
 *   while (fiber.pollUnsafe() === undefined) {
 *     yield* TestClock.adjust("10 minutes")
 *     yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
 *   }
 *   return yield* Fiber.join(fiber)
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(test).pipe(Effect.provide(TestClock.layer())))
 * console.log(/^0\d:\d0\n$/.test(stdout)) // true
 * ```
 */
export const programClock: Effect.Effect<KernelClock> = Effect.contextWith((context: Context.Context<never>) => {
  const clock = Context.get(context, Clock.Clock)
  return Effect.succeed({
    now: () => clock.currentTimeNanosUnsafe(),
    monotonic: () => clock.monotonicTimeNanosUnsafe(),
    resolution: 1_000_000n,
    after: (milliseconds, wake) => {
      if (milliseconds === Infinity) return () => {}
      const fiber = Effect.runForkWith(context)(Effect.andThen(Effect.sleep(milliseconds), Effect.sync(wake)))
      return () => fiber.interruptUnsafe()
    },
  })
})
