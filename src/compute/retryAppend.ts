/** Retries a failed append of a command's events while the journal is unreachable or locked. */
import * as Effect from "effect/Effect"
import { retryAfter } from "../base/retryTransient.ts"
import { isIndeterminate, isTransient, LeaseHolder, type LeaseTarget } from "../branch/LeaseHolder.ts"
import type { Draft, Position } from "../journal/Entry.ts"
import { JournalError } from "../journal/JournalError.ts"

const minPauseMillis = 100
const maxPauseMillis = 1_000

/**
 * Retries an append while the journal is unreachable or locked. Entries that were appended without an answer are not written
 * twice. Returns the last position; fails with the last error after `timeoutMillis`.
 */
export const retryAppend = (
  place: LeaseTarget,
  after: Position,
  drafts: ReadonlyArray<Draft>,
  first: JournalError,
  timeoutMillis: number,
): Effect.Effect<Position, JournalError> =>
  Effect.suspend(() => {
    const holder = new LeaseHolder(place, after, isIndeterminate(first) ? drafts : undefined)
    return retryAfter(first, holder.append(drafts), { isTransient, timeoutMillis, minPauseMillis, maxPauseMillis })
      .pipe(
        Effect.flatMap((isAppended) => {
          if (isAppended) return Effect.succeed(holder.last)
          const message = `journal: nothing was appended: another daemon has the lease of ${place.correlationId}`
          return Effect.fail(JournalError.because({ _tag: "Unavailable" }, message))
        }),
      )
  })
