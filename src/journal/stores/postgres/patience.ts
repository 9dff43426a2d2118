/**
 * How long the store waits: for one answer, and for a server that is away.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"
import type { JournalError } from "../../JournalError.ts"
import { closedError, isTransient, journalErrorOf, noAnswer, type Tried } from "./errors.ts"

const firstPause = 50
const longestPause = 1_000

/** The same, but lost when there is no answer in time. The wait itself can be cut short even where nothing else can. */
export const answered = <A>(effect: Effect.Effect<A, SqlError>, millis: number): Effect.Effect<A, SqlError> =>
  Effect.timeoutOrElse(effect, { duration: millis, orElse: () => Effect.fail(noAnswer(millis)) })

/** What {@link patiently} goes by. */
export interface Patience {
  readonly reconnectTimeout: number
  readonly isClosed: () => boolean
}

/**
 * Runs an effect again, after pauses that grow from 50 ms to 1 s, while it fails for want of a connection or lost a race,
 * until `reconnectTimeout` has passed since the first failure. It must be one that may run several times.
 */
export const patiently = <A>(
  { isClosed, reconnectTimeout }: Patience,
  tried: Tried,
  effect: Effect.Effect<A, SqlError | JournalError>,
): Effect.Effect<A, JournalError> =>
  Effect.suspend(() => {
    let giveUpAt: number | undefined
    let pause = firstPause
    const attempt: Effect.Effect<A, JournalError> = Effect.suspend(() =>
      isClosed() ? Effect.fail(closedError(tried)) : Effect.catchTag(effect, "SqlError", again)
    )
    const again = (error: SqlError): Effect.Effect<A, JournalError> => {
      if (isClosed()) return Effect.fail(closedError(tried))
      const failure = Effect.fail(journalErrorOf(error, tried))
      if (!isTransient(error)) return failure
      return Effect.flatMap(Clock.currentTimeMillis, (now) => {
        giveUpAt ??= now + reconnectTimeout
        const left = giveUpAt - now
        if (left <= 0) return failure
        const wait = Math.min(pause, left)
        pause = Math.min(pause * 2, longestPause)
        return Effect.andThen(Effect.sleep(wait), attempt)
      })
    }
    return attempt
  })
