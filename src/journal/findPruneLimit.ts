/**
 * Up to which position the oldest entries go.
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

const entryBytes = 200

type Reader = Pick<JournalStore, "scan">

/** The row at a position, without its body. */
export const readRowAt = (reader: Reader, position: Position): Effect.Effect<Row | undefined, JournalError> =>
  Effect.map(
    reader.scan({ after: position - 1, before: position + 1, limit: 1, headersOnly: true }),
    ([row]) => row,
  )

/**
 * The last position before the first entry of an instant or later. In the order of positions: a clock may have stepped
 * back, so times are not sorted, and what is behind a young entry stays with it.
 */
const lastBefore = (reader: Reader, instant: number, first: Position) =>
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

/** The last position that must go so that what is left is no larger than so many bytes. */
const lastBeyond = (reader: Reader, bytes: number) =>
  Effect.gen(function* () {
    let left = bytes
    let before: Position | undefined
    for (;;) {
      const rows = yield* reader.scan({
        ...(before === undefined ? undefined : { before }),
        limit: batchRows,
        maxBytes: batchBytes,
        order: "backward",
      })
      for (const row of rows) {
        left -= row.body.length + entryBytes
        if (left < 0) return row.position
        before = row.position
      }
      if (rows.length === 0) return 0
      yield* Effect.yieldNow
    }
  })

/** The last position that goes; before `first` when none does. */
export const findPruneLimit = (
  transaction: StoreTransaction,
  first: Position,
  options: PruneOptions,
): Effect.Effect<Position, JournalError> =>
  Effect.gen(function* () {
    const { keepBytes, keepEntries, keepFrom, olderThan, through } = options
    const last = transaction.head.position
    let cut = through ?? 0
    if (keepEntries !== undefined) cut = Math.max(cut, last - Math.max(1, keepEntries))
    if (olderThan !== undefined) {
      const instant = (yield* Clock.currentTimeMillis) - millisOf("olderThan", olderThan)
      cut = Math.max(cut, yield* lastBefore(transaction, instant, first))
    }
    if (keepBytes !== undefined) cut = Math.max(cut, yield* lastBeyond(transaction, keepBytes))
    return Math.min(cut, last - 1, (keepFrom ?? Infinity) - 1)
  })
