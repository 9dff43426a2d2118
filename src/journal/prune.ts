/**
 * Takes what is old, or what must not be kept, out of a journal, and signs that off in it.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { readDuration } from "../base/duration.ts"
import { chainRows, type EncodedDraft, encodeDraft } from "./entryCodec.ts"
import { type Checkpoint, checkpointTag, encodeCheckpoint, journalBranch } from "./checkpoint.ts"
import { findPruneLimit, readRowAt } from "./findPruneLimit.ts"
import type { Position } from "./Entry.ts"
import { JournalError } from "./JournalError.ts"
import type { StoreTransaction } from "./JournalStore.ts"
import type { PruneOptions, PruneReport } from "./PruneOptions.ts"
import { readFirstPosition } from "./scanBatches.ts"
import { findRowsToStrip, makeStripCheckpoints, renewStripCheckpoints } from "./stripCheckpoints.ts"

// Duration.toMillis takes NaN for no time at all.
const millisOf = (duration: Duration.Duration | undefined): number =>
  duration === undefined ? NaN : Math.floor(Duration.toMillis(duration))

/** The numbers of what to prune, to be checked before anything goes. A duration that is none is `NaN`, and no number. */
export const pruneNumbers = (
  { keepBytes, keepEntries, keepFrom, olderThan, through }: PruneOptions,
): Readonly<Record<string, number | undefined>> => ({
  through,
  keepEntries,
  keepBytes: keepBytes === undefined ? undefined : Math.floor(keepBytes),
  keepFrom,
  olderThan: olderThan === undefined ? undefined : millisOf(readDuration(olderThan)),
})

const notThere = (cut: Position): JournalError => {
  const what = "it is not there"
  return JournalError.because(
    { _tag: "Corrupt", what, position: cut },
    `journal: entry ${cut} cannot be pruned: ${what}`,
  )
}

const written = (checkpoint: Checkpoint): Effect.Effect<EncodedDraft, JournalError> =>
  Effect.fromResult(
    encodeDraft({ branch: journalBranch, correlationId: journalBranch, body: encodeCheckpoint(checkpoint) }),
  )

/** Prunes within a transaction. */
export const pruneStore = (
  transaction: StoreTransaction,
  options: PruneOptions,
): Effect.Effect<PruneReport, JournalError> =>
  Effect.gen(function* () {
    const { by, correlationIds = [], keepFrom = Infinity, why } = options
    const signed = {
      ...(by === undefined ? undefined : { by }),
      ...(why === undefined ? undefined : { why }),
    }
    const first = (yield* readFirstPosition(transaction)) ?? 1
    const cut = Math.max(first - 1, yield* findPruneLimit(transaction, first, options))
    const checkpoints: Array<Checkpoint> = []
    if (cut >= first) {
      const row = yield* readRowAt(transaction, cut)
      if (row === undefined) return yield* Effect.fail(notThere(cut))
      const { hash } = row
      checkpoints.push({ _tag: checkpointTag, kind: "removed", through: cut, hash, count: cut - first + 1, ...signed })
      checkpoints.push(...yield* renewStripCheckpoints(transaction, first, cut))
    }
    const doomed = yield* findRowsToStrip(transaction, correlationIds, cut, keepFrom)
    for (const signature of makeStripCheckpoints(doomed)) checkpoints.push({ ...signature, ...signed })
    const rows = chainRows(
      transaction.head,
      Math.floor(yield* Clock.currentTimeMillis),
      yield* Effect.forEach(checkpoints, written),
    )
    // What goes makes room for what says so, should the store be full.
    if (doomed.length > 0) yield* transaction.strip(doomed.map((row) => row.position))
    if (cut >= first) yield* transaction.removeThrough(cut)
    if (rows.length > 0) yield* transaction.insert(rows)
    return {
      through: cut >= first ? cut : 0,
      removed: cut - first + 1,
      stripped: doomed.length,
      checkpoints: rows.map((row) => row.position),
    }
  })
