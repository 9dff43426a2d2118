/**
 * Prunes a journal within a store transaction, and appends the checkpoints that record it.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { readDuration } from "../base/duration.ts"
import { type EncodeBody, encodeDraft } from "./entryCodec.ts"
import { type Checkpoint, checkpointTag, encodeCheckpoint, journalBranch } from "./checkpoint.ts"
import { findPruneLimit, readRowAt } from "./findPruneLimit.ts"
import type { Position } from "./Entry.ts"
import { chainRows } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"
import type { StoreTransaction } from "./JournalStore.ts"
import type { PruneOptions, PruneReport } from "./PruneOptions.ts"
import { readFirstPosition } from "./scanBatches.ts"
import { findRowsToStrip, makeStripCheckpoints, renewStripCheckpoints } from "./stripCheckpoints.ts"

// `NaN` for an invalid duration: `Duration.toMillis` does not report it.
const millisOf = (duration: Duration.Duration | undefined): number =>
  duration === undefined ? NaN : Math.floor(Duration.toMillis(duration))

/** The numbers in the options, for validation. An invalid duration is `NaN`. */
export const pruneNumbers = (
  { keepBytes, keepEntries, keepFrom, olderThan, through }: PruneOptions,
): Readonly<Record<string, number | undefined>> => ({
  through,
  keepEntries,
  keepBytes: keepBytes === undefined ? undefined : Math.floor(keepBytes),
  keepFrom,
  olderThan: olderThan === undefined ? undefined : millisOf(readDuration(olderThan)),
})

const missingError = (limit: Position): JournalError => {
  const what = "it is not there"
  return JournalError.because(
    { _tag: "Corrupt", what, position: limit },
    `journal: entry ${limit} cannot be pruned: ${what}`,
  )
}

/** Prunes within a transaction; see {@link PruneOptions}. `encodeBody` encodes the checkpoints. */
export const pruneStore = (
  transaction: StoreTransaction,
  options: PruneOptions,
  encodeBody?: EncodeBody,
): Effect.Effect<PruneReport, JournalError> =>
  Effect.gen(function* () {
    const { by, correlationIds = [], keepFrom = Infinity, why } = options
    const signature = {
      ...(by === undefined ? undefined : { by }),
      ...(why === undefined ? undefined : { why }),
    }
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
        ...signature,
      })
      checkpoints.push(...yield* renewStripCheckpoints(transaction, first, limit))
    }
    const stripped = yield* findRowsToStrip(transaction, correlationIds, limit, keepFrom)
    for (const checkpoint of makeStripCheckpoints(stripped)) checkpoints.push({ ...checkpoint, ...signature })
    const drafts = yield* Effect.forEach(checkpoints, (checkpoint) =>
      Effect.fromResult(encodeDraft(
        { branch: journalBranch, correlationId: journalBranch, body: encodeCheckpoint(checkpoint) },
        encodeBody,
      )))
    const rows = chainRows(transaction.head, Math.floor(yield* Clock.currentTimeMillis), drafts)
    // Removed first: this makes room for the checkpoints when the store is full.
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
