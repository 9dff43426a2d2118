/** Retries a failed append of a command's events while the journal is unreachable or locked. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { monotonicMillis } from "../base/monotonicTime.ts"
import { isIndeterminate, isTransient, LeaseHolder, type LeaseTarget } from "../branch/LeaseHolder.ts"
import type { Draft, Position } from "../journal/Entry.ts"
import { JournalError } from "../journal/JournalError.ts"

const firstWait = 100
const maxWait = 1_000

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
  Effect.gen(function* () {
    const holder = new LeaseHolder(place, after, isIndeterminate(first) ? drafts : undefined)
    const end = (yield* monotonicMillis) + timeoutMillis
    let error = first
    for (let wait = firstWait;; wait = Math.min(2 * wait, maxWait)) {
      const left = end - (yield* monotonicMillis)
      if (left <= 0 || !isTransient(error)) return yield* Effect.fail(error)
      yield* Effect.sleep(Math.min(wait, left))
      const result = yield* Effect.result(holder.append(drafts))
      if (Result.isSuccess(result)) {
        if (result.success) return holder.last
        const message = `journal: nothing was appended: another daemon has the lease of ${place.correlationId}`
        return yield* Effect.fail(JournalError.because({ _tag: "Unavailable" }, message))
      }
      error = result.failure
    }
  })
