/** Repeats work on a PostgreSQL database while the server is unreachable, or after a lost race. */
import * as Effect from "effect/Effect"
import { SqlError } from "effect/sql/SqlError"
import type { JournalError } from "../../JournalError.ts"
import { retryTransient } from "../../../base/retryTransient.ts"
import { isTransient } from "../../../sql/postgresErrors.ts"
import { type Operation, storeClosed, toJournalError } from "./errors.ts"

export interface RetryContext {
  readonly reconnectTimeoutMillis: number
  readonly isClosed: () => boolean
}

/**
 * Runs an effect, and again after pauses of 50 ms to 1 s, until `reconnectTimeoutMillis` after its first failure. Other
 * errors, and closing the store, end it at once.
 */
export const retryWhileAway = <A>(
  { isClosed, reconnectTimeoutMillis }: RetryContext,
  operation: Operation,
  effect: Effect.Effect<A, SqlError | JournalError>,
): Effect.Effect<A, JournalError> => {
  const attempt = Effect.suspend(() => isClosed() ? Effect.fail(storeClosed(operation)) : effect)
  return Effect.catchTag(
    retryTransient(attempt, {
      isTransient: (error) => error instanceof SqlError && isTransient(error),
      timeoutMillis: reconnectTimeoutMillis,
      minPauseMillis: 50,
      maxPauseMillis: 1_000,
    }),
    "SqlError",
    (error) => Effect.fail(isClosed() ? storeClosed(operation) : toJournalError(error, operation)),
  )
}
