/**
 * One transaction, as the journal sees it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Head, Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { StoreTransaction } from "../../JournalStore.ts"
import { type Attempt, attempt } from "./waiting.ts"
import type { Writer } from "./Writer.ts"

/** A transaction, and how it ends. */
export interface OpenTransaction {
  readonly transaction: StoreTransaction
  /** What failed in it: then nothing of it may be kept, whatever its user makes of that. */
  readonly failure: () => JournalError | undefined
  /** From now on nothing can be done with it. */
  readonly end: () => void
}

/** The transaction that a writer has begun. */
export const makeTransaction = (writer: Writer, head: Head, options: Attempt): OpenTransaction => {
  let failed: JournalError | undefined
  let over = false

  const step = <A>(work: () => A): Effect.Effect<A, JournalError> =>
    Effect.suspend(() => {
      if (failed !== undefined) return Effect.fail(failed)
      if (over) {
        return Effect.fail(
          JournalError.because({ _tag: "Closed" }, "journal: nothing was done: the transaction is over"),
        )
      }
      return Effect.tapError(attempt(options, work), (error) =>
        Effect.sync(() => {
          failed = error
        }))
    })

  const strip = (positions: ReadonlyArray<Position>): Effect.Effect<void, JournalError> =>
    Effect.flatMap(step(() => writer.strip(positions)), (count) =>
      count >= positions.length
        ? Effect.void
        // Many take a while: others run in between.
        : Effect.andThen(Effect.yieldNow, Effect.suspend(() => strip(positions.slice(count)))))

  return {
    transaction: {
      head,
      scan: (scan) => step(() => writer.reader.scan(scan)),
      insert: (rows) => step(() => writer.insert(rows)),
      removeThrough: (position) => step(() => writer.removeThrough(position)),
      strip: (positions) => positions.length === 0 ? Effect.void : strip(positions.toSorted((a, b) => a - b)),
    },
    failure: () => failed,
    end: () => {
      over = true
    },
  }
}
