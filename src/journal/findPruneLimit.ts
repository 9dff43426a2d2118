/**
 * Finds the last position that a prune removes, from limits on age, number and size.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { millisOf } from "../base/duration.ts"
import type { Position, Row } from "./Entry.ts"
import type { JournalError } from "./JournalError.ts"
import type { JournalStore, StoreTransaction } from "./JournalStore.ts"
import type { PruneOptions } from "./PruneOptions.ts"
import { batchBytes, batchRows } from "./scanBatches.ts"
import { bodyLength } from "./UnchainedRow.ts"

/** The size of an entry without its body, as `keepBytes` counts it. */
const entryBytes = 200

type Reader = Pick<JournalStore, "scan">

/** Reads the row at a position, without its body. */
export const readRowAt = (reader: Reader, position: Position): Effect.Effect<Row | undefined, JournalError> =>
  Effect.map(
    reader.scan({ after: position - 1, before: position + 1, limit: 1, headersOnly: true }),
    ([row]) => row,
  )

/**
 * The last position before the first entry that is not older than an instant. Entries are not sorted by time, because a
 * clock may step back: an old entry after a young one is kept.
 */
const findLastOlder = (reader: Reader, instant: number, first: Position) =>
  Effect.gen(function* () {
    let after = first - 1
    for (;;) {
      const rows = yield* reader.scan({ after, limit: batchRows, headersOnly: true })
      const young = rows.find((row) => row.time >= instant)
      if (young !== undefined) return young.position - 1
      after = rows.at(-1)?.position ?? after
      if (rows.length === 0) return after
      yield* Effect.yieldNow
    }
  })

/** The last position that must be removed so that the rest has at most `maxBytes` bytes. */
const findLastExcess = (reader: Reader, maxBytes: number) =>
  Effect.gen(function* () {
    let left = maxBytes
    let before: Position | undefined
    for (;;) {
      const rows = yield* reader.scan({
        ...(before === undefined ? undefined : { before }),
        limit: batchRows,
        maxBytes: batchBytes,
        order: "backward",
      })
      for (const row of rows) {
        left -= bodyLength(row) + entryBytes
        if (left < 0) return row.position
        before = row.position
      }
      if (rows.length === 0) return 0
      yield* Effect.yieldNow
    }
  })

/** The last position to remove; before `first` when none is. */
export const findPruneLimit = (
  transaction: StoreTransaction,
  first: Position,
  options: PruneOptions,
): Effect.Effect<Position, JournalError> =>
  Effect.gen(function* () {
    const { keepBytes, keepEntries, keepFrom, olderThan, through } = options
    const last = transaction.head.position
    let limit = through ?? 0
    if (keepEntries !== undefined) limit = Math.max(limit, last - Math.max(1, keepEntries))
    if (olderThan !== undefined) {
      const instant = (yield* Clock.currentTimeMillis) - millisOf("olderThan", olderThan)
      limit = Math.max(limit, yield* findLastOlder(transaction, instant, first))
    }
    if (keepBytes !== undefined) limit = Math.max(limit, yield* findLastExcess(transaction, keepBytes))
    return Math.min(limit, last - 1, (keepFrom ?? Infinity) - 1)
  })
