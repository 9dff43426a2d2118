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
import { batchBytes, batchRows } from "./scanAll.ts"

const entryBytes = 200

type Reader = Pick<JournalStore, "scan">

/** The row at a position, without its body. */
export const rowAt = (reader: Reader, position: Position): Effect.Effect<Row | undefined, JournalError> =>
  Effect.map(
    reader.scan({ after: position - 1, before: position + 1, limit: 1, headersOnly: true }),
    ([row]) => row,
  )

/** The last position whose time is before an instant: by halves, as times nearly always rise with positions. */
const lastBefore = (reader: Reader, instant: number, first: Position, last: Position) =>
  Effect.gen(function* () {
    let low = first - 1
    let high = last
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const row = yield* rowAt(reader, middle)
      if (row !== undefined && row.time < instant) low = middle
      else high = middle - 1
    }
    return low
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
export const cutOf = (
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
      cut = Math.max(cut, yield* lastBefore(transaction, instant, first, last))
    }
    if (keepBytes !== undefined) cut = Math.max(cut, yield* lastBeyond(transaction, keepBytes))
    return Math.min(cut, last - 1, (keepFrom ?? Infinity) - 1)
  })
