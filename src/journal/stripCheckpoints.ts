/**
 * Finds the rows that a prune strips of their bodies, and writes and reads the checkpoints that record it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { decodeRow } from "./entryCodec.ts"
import {
  type Checkpoint,
  checkpointTag,
  decodeCheckpoint,
  extendStripDigest,
  journalBranch,
  toRanges,
} from "./checkpoint.ts"
import { type Filter, matches, type Position, type Row, withoutBody } from "./Entry.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { batchBytes, batchRows, scanBatch, scanInBatches } from "./scanBatches.ts"

type Reader = Pick<JournalStore, "scan">

/** Maximum number of entries that one checkpoint records: its body must fit into an entry. */
const maxRecorded = 10_000

/** Finds the rows of some correlation ids between two positions, both exclusive; returned without their bodies. */
export const findRowsToStrip = (
  reader: Reader,
  correlationIds: Iterable<string>,
  after: Position,
  before: Position,
): Effect.Effect<Array<Row>, JournalError> =>
  Effect.gen(function* () {
    const rows: Array<Row> = []
    for (const correlationId of new Set(correlationIds)) {
      yield* scanInBatches(reader, { after, before, filter: { correlationId } }, (row) => {
        // Checkpoints are never stripped, whatever their correlation id.
        if (row.body !== "" && row.branch !== journalBranch) rows.push(withoutBody(row))
      })
    }
    return rows.sort((a, b) => a.position - b.position)
  })

/** Makes the checkpoints that record stripped rows, which must ascend. */
export const makeStripCheckpoints = (rows: ReadonlyArray<Row>): ReadonlyArray<Checkpoint> => {
  const checkpoints: Array<Checkpoint> = []
  for (let at = 0; at < rows.length; at += maxRecorded) {
    const some = rows.slice(at, at + maxRecorded)
    checkpoints.push({
      _tag: checkpointTag,
      kind: "stripped",
      through: some.at(-1)?.position ?? 0,
      hash: some.reduce(extendStripDigest, ""),
      count: some.length,
      positions: toRanges(some.map((row) => row.position)),
    })
  }
  return checkpoints
}

/** Matches checkpoints through the indexes of a store. */
const checkpointFilter: Filter = { branch: journalBranch, tags: [checkpointTag] }

/** A checkpoint and its own position. */
export type StoredCheckpoint = readonly [position: Position, checkpoint: Checkpoint]

/** The checkpoint of a row as a list of one; an empty list when the row is another entry, or cannot be read. */
const checkpointsIn = (row: Row): ReadonlyArray<StoredCheckpoint> => {
  if (!matches(checkpointFilter, row)) return []
  try {
    const checkpoint = decodeCheckpoint(decodeRow(row))
    return checkpoint === undefined ? [] : [[row.position, checkpoint]]
  } catch (error) {
    if (error instanceof JournalError) return []
    throw error
  }
}

/**
 * Reads the checkpoints between two positions, both exclusive. One that cannot be decoded is skipped. With an empty filter
 * every row is read, so that no index has to be correct.
 */
export const readCheckpoints = (
  reader: Reader,
  after: Position,
  before: Position = Infinity,
  filter: Filter = checkpointFilter,
): Effect.Effect<ReadonlyArray<StoredCheckpoint>, JournalError> =>
  Effect.gen(function* () {
    const found: Array<StoredCheckpoint> = []
    yield* scanInBatches(reader, { after, before, filter }, (row) => found.push(...checkpointsIn(row)))
    return found
  })

/** Reads checkpoints from the end of the journal backward, up to the first row that cannot be read. */
export const readLastCheckpoints = (reader: Reader): Effect.Effect<ReadonlyArray<StoredCheckpoint>> =>
  Effect.gen(function* () {
    const found: Array<StoredCheckpoint> = []
    let before: Position | undefined
    for (;;) {
      const scan = {
        before,
        filter: checkpointFilter,
        limit: batchRows,
        maxBytes: batchBytes,
        order: "backward",
      } as const
      const rows = yield* Effect.orElseSucceed(scanBatch(reader, scan), () => [])
      before = rows.at(-1)?.position
      if (before === undefined) return found.reverse()
      found.push(...rows.flatMap(checkpointsIn))
    }
  })

const corruptError = (position: Position): JournalError => {
  const what = "the entries without bodies are not those that a checkpoint signs off"
  return JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: nothing was pruned: from entry ${position} on ${what}`,
  )
}

/**
 * Makes new checkpoints for the stripped entries that remain when everything up to `limit` is removed: the digests of the
 * old checkpoints cover removed entries. Fails with `Corrupt` when an old digest does not match.
 */
export const renewStripCheckpoints = (
  reader: Reader,
  first: Position,
  limit: Position,
): Effect.Effect<ReadonlyArray<Checkpoint>, JournalError> =>
  Effect.gen(function* () {
    const rest: Array<Checkpoint> = []
    for (const [, checkpoint] of yield* readCheckpoints(reader, limit)) {
      const { kind, positions = [], through } = checkpoint
      const from = positions[0]?.[0]
      if (kind !== "stripped" || from === undefined || from < first || from > limit || through <= limit) continue
      let range = 0
      const rows: Array<Row> = []
      yield* scanInBatches(reader, { after: from - 1, before: through + 1, headersOnly: true }, (row) => {
        while ((positions[range]?.[1] ?? Infinity) < row.position) range++
        if ((positions[range]?.[0] ?? Infinity) <= row.position) rows.push(row)
      })
      if (rows.reduce(extendStripDigest, "") !== checkpoint.hash) return yield* Effect.fail(corruptError(from))
      const { by, why } = checkpoint
      for (const renewed of makeStripCheckpoints(rows.filter((row) => row.position > limit))) {
        rest.push({
          ...renewed,
          ...(by === undefined ? undefined : { by }),
          ...(why === undefined ? undefined : { why }),
        })
      }
    }
    return rest
  })
