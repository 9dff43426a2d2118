/** Runs the transactions of a SQLite store. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Head, Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { Durability, JournalStore, StoreTransaction } from "../../JournalStore.ts"
import type { ConnectionSet } from "./ConnectionSet.ts"
import type { PruneWorker } from "./prune.ts"
import { type Operation, retryWhileBusy, runOnce } from "./retryWhileBusy.ts"
import { scanRows } from "./scan.ts"
import { type CommitResult, type SqliteWriter, truncateWal } from "./SqliteWriter.ts"

/** Milliseconds between two checks that the path still has the file that is open. */
const fileCheckMillis = 1_000

/** Length of the write-ahead log that empties it, unless another connection reads. SQLite itself starts over at 16 MiB. */
const maxWalBytes = 64 * 1024 * 1024

interface OpenTransaction {
  readonly transaction: StoreTransaction
  /** Refuses every later step; returns the first error of a step, after which nothing may be committed. */
  readonly end: () => JournalError | undefined
}

const openTransaction = (writer: SqliteWriter, head: Head, operation: Operation): OpenTransaction => {
  let failure: JournalError | undefined
  let isOver = false
  const step = <A>(work: () => A): Effect.Effect<A, JournalError> =>
    Effect.suspend(() => {
      if (failure !== undefined) return Effect.fail(failure)
      if (isOver) {
        return Effect.fail(
          JournalError.because({ _tag: "Closed" }, "journal: nothing was done: the transaction has ended"),
        )
      }
      return Effect.tapError(runOnce(operation, work), (error) => Effect.sync(() => failure = error))
    })
  const strip = (positions: ReadonlyArray<Position>): Effect.Effect<void, JournalError> =>
    Effect.flatMap(
      step(() => writer.strip(positions)),
      (count) =>
        count >= positions.length
          ? Effect.void
          // Other fibers run between the batches.
          : Effect.andThen(Effect.yieldNow, Effect.suspend(() => strip(positions.slice(count)))),
    )
  return {
    transaction: {
      head,
      scan: (scan) => step(() => scanRows(writer.connection, scan)),
      insert: (rows) => step(() => writer.insert(rows)),
      removeThrough: (position) => step(() => writer.removeThrough(position)),
      strip: (positions) => positions.length === 0 ? Effect.void : strip(positions.toSorted((a, b) => a - b)),
    },
    end: () => {
      isOver = true
      return failure
    },
  }
}

/** Creates a store's `transact`. It suspends only while another connection writes. */
export const makeTransact = (
  connections: ConnectionSet,
  lockTimeoutMillis: number,
  pruning: PruneWorker,
): JournalStore["transact"] => {
  const operation = { tried: `nothing was written to ${connections.path}`, path: connections.path, lockTimeoutMillis }
  let checkedAt = -Infinity

  const begin = (durability: Durability, now: number): OpenTransaction => {
    const { writer } = connections
    if (now - checkedAt >= fileCheckMillis) {
      connections.checkFile()
      checkedAt = now
    }
    return openTransaction(writer, writer.begin(durability), operation)
  }

  const afterCommit = ({ isWalDue, removed, stripped }: CommitResult): Effect.Effect<void> => {
    try {
      // The log still holds the stripped bodies.
      if (stripped || (isWalDue && connections.walBytes > maxWalBytes)) truncateWal(connections.writer.connection)
    } catch {
      // Another connection is in the way: a later commit does it.
    }
    return removed ? pruning.start : Effect.void
  }

  const rollback = (): void => {
    try {
      connections.writer.rollback()
    } catch {
      // The store was closed, which rolled it back.
    }
  }

  return (durability, work) =>
    Effect.uninterruptibleMask((restore) =>
      Clock.clockWith((clock) =>
        Effect.flatMap(
          retryWhileBusy(operation, () => begin(durability, clock.currentTimeMillisUnsafe()), restore),
          ({ end, transaction }) =>
            Effect.matchCauseEffect(restore(Effect.suspend(() => work(transaction))), {
              onFailure: (cause) => {
                end()
                rollback()
                return Effect.failCause(cause)
              },
              onSuccess: (value) => {
                const failure = end()
                if (failure !== undefined) {
                  rollback()
                  return Effect.fail(failure)
                }
                return Effect.flatMap(
                  runOnce(operation, () => connections.writer.commit()),
                  (result) => Effect.as(afterCommit(result), value),
                )
              },
            }),
        )
      )
    )
}
