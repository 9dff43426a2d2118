/** Finds which entries a prune removes or strips, removes them, and appends the checkpoints that record it. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { defined } from "../base/defined.ts"
import { millisOf, readDuration } from "../base/duration.ts"
import type { Position, Row } from "./Entry.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore, StoreTransaction } from "./JournalStore.ts"
import type { PruneOptions, PruneReport } from "./PruneOptions.ts"
import { bodyLength } from "./UnchainedRow.ts"
import {
  type Checkpoint,
  checkpointTag,
  encodeCheckpoint,
  findRowsToStrip,
  journalBranch,
  makeStripCheckpoints,
  renewStripCheckpoints,
} from "./checkpoint.ts"
import { type EncodeBody, encodeDraft } from "./entryCodec.ts"
import { chainRows } from "./hashChain.ts"
import { batchBytes, batchRows, readFirstPosition } from "./scanBatches.ts"

/** The size of an entry without its body, as `keepBytes` counts it. */
const entryBytes = 200

type Reader = Pick<JournalStore, "scan">

const readRowAt = (reader: Reader, position: Position): Effect.Effect<Row | undefined, JournalError> =>
  Effect.map(
    reader.scan({ after: position - 1, before: position + 1, maxRows: 1, headersOnly: true }),
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
      const rows = yield* reader.scan({ after, maxRows: batchRows, headersOnly: true })
      const young = rows.find((row) => row.time >= instant)
      if (young !== undefined) return young.position - 1
      after = rows.at(-1)?.position ?? after
      if (rows.length === 0) return after
      yield* Effect.yieldNow
    }
  })

const findLastExcess = (reader: Reader, maxBytes: number) =>
  Effect.gen(function* () {
    let left = maxBytes
    let before: Position | undefined
    for (;;) {
      const rows = yield* reader.scan({
        ...(before === undefined ? undefined : { before }),
        maxRows: batchRows,
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
const findPruneLimit = (
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

// `NaN` for an invalid duration: `Duration.toMillis` does not report it.
const wholeMillis = (duration: Duration.Duration | undefined): number =>
  duration === undefined ? NaN : Math.floor(Duration.toMillis(duration))

/** The numbers in the options, for validation. An invalid duration is `NaN`. */
export const pruneNumbers = (
  { keepBytes, keepEntries, keepFrom, olderThan, through }: PruneOptions,
): Readonly<Record<string, number | undefined>> => ({
  through,
  keepEntries,
  keepBytes: keepBytes === undefined ? undefined : Math.floor(keepBytes),
  keepFrom,
  olderThan: olderThan === undefined ? undefined : wholeMillis(readDuration(olderThan)),
})

const missingError = (limit: Position): JournalError => {
  const what = "it is missing"
  return JournalError.because(
    { _tag: "Corrupt", what, position: limit },
    `journal: entry ${limit} cannot be pruned: ${what}`,
  )
}

export const pruneStore = (
  transaction: StoreTransaction,
  options: PruneOptions,
  encodeBody?: EncodeBody,
): Effect.Effect<PruneReport, JournalError> =>
  Effect.gen(function* () {
    const { by, correlationIds = [], keepFrom = Infinity, why } = options
    const authorship = defined({ by, why })
    const first = (yield* readFirstPosition(transaction)) ?? 1
    const limit = Math.max(first - 1, yield* findPruneLimit(transaction, first, options))
    const checkpoints: Array<Checkpoint> = []
    if (limit >= first) {
      const row = yield* readRowAt(transaction, limit)
      if (row === undefined) return yield* Effect.fail(missingError(limit))
      const { hash } = row
      checkpoints.push({
        _tag: checkpointTag,
        kind: "removed",
        through: limit,
        hash,
        count: limit - first + 1,
        ...authorship,
      })
      checkpoints.push(...yield* renewStripCheckpoints(transaction, first, limit))
    }
    const stripped = yield* findRowsToStrip(transaction, correlationIds, limit, keepFrom)
    for (const checkpoint of makeStripCheckpoints(stripped)) checkpoints.push({ ...checkpoint, ...authorship })
    const drafts = yield* Effect.forEach(checkpoints, (checkpoint) =>
      Effect.fromResult(encodeDraft(
        { branch: journalBranch, correlationId: journalBranch, body: encodeCheckpoint(checkpoint) },
        encodeBody,
      )))
    const rows = chainRows(transaction.head, Math.floor(yield* Clock.currentTimeMillis), drafts)
    // Entries are removed first: this makes room for the checkpoints when the store is full.
    if (stripped.length > 0) yield* transaction.strip(stripped.map((row) => row.position))
    if (limit >= first) yield* transaction.removeThrough(limit)
    if (rows.length > 0) yield* transaction.insert(rows)
    return {
      through: limit >= first ? limit : 0,
      removed: limit - first + 1,
      stripped: stripped.length,
      checkpoints: rows.map((row) => row.position),
    }
  })
