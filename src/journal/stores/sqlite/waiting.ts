/**
 * Waits for locks without standing still.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { JournalError } from "../../JournalError.ts"
import { isBusy, journalError } from "./sqliteError.ts"

/** What an attempt is called, and how long it waits for others. */
export interface Attempt {
  /** Such as `"nothing was written to /tmp/journal.db"`. */
  readonly tried: string
  readonly path: string
  readonly lockTimeoutMillis: number
}

/** Milliseconds of the longest pause between two attempts: others write for about as long. */
const longestPause = 8

/** Runs what cannot wait; what it throws is the error. */
export const attempt = <A>({ path, tried }: Attempt, work: () => A): Effect.Effect<A, JournalError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      return Effect.fail(journalError(tried, path, error))
    }
  })

const locked = ({ lockTimeoutMillis, tried }: Attempt, error: unknown): JournalError =>
  JournalError.because(
    { _tag: "Locked", code: "SQLITE_BUSY" },
    `journal: ${tried}: others held it for ${lockTimeoutMillis} ms (SQLITE_BUSY)`,
    error,
  )

type Pausing = <A>(pause: Effect.Effect<A>) => Effect.Effect<A>

/** Again after a pause, until it is free or the time is up. The pauses double, and no two waiters keep step. */
const again = <A>(options: Attempt, work: () => A, pausing: Pausing, until: number, longest: number) =>
  Effect.andThen(
    pausing(Effect.flatMap(Random.next, (part) => Effect.sleep(longest * (0.5 + part / 2)))),
    once(options, work, pausing, until, Math.min(longest * 2, longestPause)),
  )

const once = <A>(
  options: Attempt,
  work: () => A,
  pausing: Pausing,
  until: number | undefined,
  longest: number,
): Effect.Effect<A, JournalError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      if (!isBusy(error)) return Effect.fail(journalError(options.tried, options.path, error))
      return Clock.clockWith((clock) => {
        const now = clock.currentTimeMillisUnsafe()
        return until !== undefined && now >= until
          ? Effect.fail(locked(options, error))
          : again(options, work, pausing, until ?? now + options.lockTimeoutMillis, longest)
      })
    }
  })

/**
 * Runs `work` at once, and again after a pause as long as somebody else has a lock that it needs. `pausing` is applied
 * to each pause: within an uninterruptible region the pauses may be interrupted, and nothing else.
 */
export const whenFree = <A>(
  options: Attempt,
  work: () => A,
  pausing: Pausing = (pause) => pause,
): Effect.Effect<A, JournalError> => once(options, work, pausing, undefined, 1)
