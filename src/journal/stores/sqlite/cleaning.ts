/**
 * Runs the cleaner of a store beside everything else.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { Cleaner } from "./Cleaner.ts"
import { isBusy } from "./sqliteError.ts"

/** Milliseconds between two attempts while others write. */
const pauseMillis = 10

/** Milliseconds that closing waits for a cleaning that has begun. The rest is done by the next who opens the file. */
const closingMillis = 10_000

/** One cleaning at a time, and none when nothing was removed. */
export interface Cleaning {
  /** Something was removed. */
  readonly start: Effect.Effect<void>
}

/**
 * Cleans whenever it is told that something was removed. When the Scope closes, a cleaning that runs is finished first,
 * if that takes no longer than 10 seconds: a program that prunes and ends has pruned the file.
 */
export const makeCleaning = (open: () => Cleaner): Effect.Effect<Cleaning, never, Scope.Scope> => {
  let running: Fiber.Fiber<void> | undefined
  let again = false
  let pausing = false
  let closingSince: number | undefined

  /** One slice; whether to go on. What stops it stops it for now: it is taken up when the file is opened again. */
  const slice = (cleaner: Cleaner, clock: Clock.Clock): "more" | "busy" | "done" => {
    if (closingSince !== undefined && clock.currentTimeMillisUnsafe() - closingSince > closingMillis) return "done"
    try {
      return cleaner.slice() ? "more" : "done"
    } catch (error) {
      return isBusy(error) && closingSince === undefined ? "busy" : "done"
    }
  }

  const pause: Effect.Effect<void> = Effect.suspend(() => {
    pausing = true
    return Effect.ensuring(Effect.sleep(pauseMillis), Effect.sync(() => pausing = false))
  })

  const clean = (cleaner: Cleaner): Effect.Effect<void> =>
    Clock.clockWith((clock) => {
      const go: Effect.Effect<void> = Effect.suspend(() => {
        const answer = slice(cleaner, clock)
        if (answer === "done") return Effect.void
        return Effect.andThen(answer === "busy" ? pause : Effect.yieldNow, go)
      })
      return go
    })

  const run: Effect.Effect<void> = Effect.suspend(() => {
    again = false
    return Effect.acquireUseRelease(
      Effect.sync(opened),
      (cleaner) => cleaner === undefined ? Effect.void : clean(cleaner),
      (cleaner) => Effect.sync(() => cleaner?.close()),
    )
  })

  /** A connection that cannot be opened now cleans nothing now. */
  const opened = (): Cleaner | undefined => {
    try {
      return open()
    } catch {
      return undefined
    }
  }

  const runs: Effect.Effect<void> = Effect.andThen(run, Effect.suspend(() => again ? runs : Effect.void))

  const start: Effect.Effect<void> = Effect.suspend(() => {
    again = true
    if (running !== undefined || closingSince !== undefined) return Effect.void
    return Effect.map(
      // Whoever removes cannot be interrupted then; this can.
      Effect.forkDetach(Effect.interruptible(Effect.ensuring(runs, Effect.sync(() => running = undefined)))),
      (fiber) => {
        running = fiber
      },
    )
  })

  return Effect.as(
    Effect.addFinalizer(() =>
      Clock.clockWith((clock) => {
        closingSince = clock.currentTimeMillisUnsafe()
        if (running === undefined) return Effect.void
        return pausing ? Fiber.interrupt(running) : Effect.asVoid(Fiber.await(running))
      })
    ),
    { start },
  )
}
