/** Runs synchronous SQLite work as an Effect, once or again while another connection holds a lock. */
import * as Effect from "effect/Effect"
import { JournalError } from "../../JournalError.ts"
import { retryTransient } from "../../../base/retryTransient.ts"
import { isBusy } from "../../../sql/sqliteResult.ts"
import { toJournalError } from "./errors.ts"

export interface Operation {
  /** The start of the message, such as `"nothing was written to /tmp/journal.db"`. */
  readonly tried: string
  readonly path: string
  readonly lockTimeoutMillis: number
}

const locked = ({ lockTimeoutMillis, tried }: Operation, error: unknown): JournalError =>
  JournalError.because(
    { _tag: "Locked", code: "SQLITE_BUSY" },
    `journal: ${tried}: other connections held a lock for ${lockTimeoutMillis} ms (SQLITE_BUSY)`,
    error,
  )

const run = <A, E>(work: () => A, onError: (error: unknown) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      return onError(error)
    }
  })

export const runOnce = <A>({ path, tried }: Operation, work: () => A): Effect.Effect<A, JournalError> =>
  run(work, (error) => Effect.fail(toJournalError(tried, path, error)))

/**
 * Runs work at once, and again after pauses of 1 to 8 ms while a lock is held, for `lockTimeoutMillis`. `wrapPause` is
 * applied to the pauses: in an uninterruptible region it makes them interruptible.
 */
export const retryWhileBusy = <A>(
  operation: Operation,
  work: () => A,
  wrapPause?: (pause: Effect.Effect<void>) => Effect.Effect<void>,
): Effect.Effect<A, JournalError> =>
  run(work, (first) => {
    const fail = (error: unknown): Effect.Effect<never, JournalError> =>
      Effect.fail(
        isBusy(error) ? locked(operation, error) : toJournalError(operation.tried, operation.path, error),
      )
    if (!isBusy(first)) return fail(first)
    // Nearly all work succeeds at once, and then retries cost nothing. SQLite has already waited 2 ms, so the next
    // attempt follows at once.
    const retried = retryTransient(run(work, Effect.fail), {
      isTransient: isBusy,
      timeoutMillis: operation.lockTimeoutMillis,
      minPauseMillis: 1,
      maxPauseMillis: 8,
      wrapPause,
    })
    return Effect.catch(retried, fail)
  })
