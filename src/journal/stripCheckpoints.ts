/**
 * Which bodies go, and how that is signed off.
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
import { type Filter, matches, type Position, type Row } from "./Entry.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { batchBytes, batchRows, scanBatch, scanInBatches } from "./scanBatches.ts"

type Reader = Pick<JournalStore, "scan">

/** Most entries that one checkpoint signs off: its body must fit into an entry. */
const maxSigned = 10_000

/** The rows from one position up to another, both excluded, whose bodies go: those of some correlation ids. */
export const findRowsToStrip = (
  reader: Reader,
  correlationIds: Iterable<string>,
  after: Position,
  before: Position,
): Effect.Effect<Array<Row>, JournalError> =>
  Effect.gen(function* () {
    const doomed: Array<Row> = []
    for (const correlationId of new Set(correlationIds)) {
      yield* scanInBatches(reader, { after, before, filter: { correlationId } }, (row) => {
        // A checkpoint must stay readable, whatever id it is called by.
        if (row.body !== "" && row.branch !== journalBranch) doomed.push({ ...row, body: "" })
      })
    }
    return doomed.sort((a, b) => a.position - b.position)
  })

/** The checkpoints that sign off rows without bodies. They ascend. */
export const makeStripCheckpoints = (rows: ReadonlyArray<Row>): ReadonlyArray<Checkpoint> => {
  const checkpoints: Array<Checkpoint> = []
  for (let at = 0; at < rows.length; at += maxSigned) {
    const some = rows.slice(at, at + maxSigned)
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

/** Where a store's indexes find checkpoints. */
const indexed: Filter = { branch: journalBranch, tags: [checkpointTag] }

/** A checkpoint and its own position. */
export type StoredCheckpoint = readonly [position: Position, checkpoint: Checkpoint]

/** The checkpoint of a row as a list of one; an empty list when the row is another entry, or cannot be read. */
const checkpointsIn = (row: Row): ReadonlyArray<StoredCheckpoint> => {
  if (!matches(indexed, row)) return []
  try {
    const checkpoint = decodeCheckpoint(decodeRow(row))
    return checkpoint === undefined ? [] : [[row.position, checkpoint]]
  } catch (error) {
    if (error instanceof JournalError) return []
    throw error
  }
}

/**
 * Checkpoints between two positions, with their own positions. One that cannot be read signs nothing off. With an empty
 * filter every row is looked at: then no index has to be believed.
 */
export const readCheckpoints = (
  reader: Reader,
  after: Position,
  before: Position = Infinity,
  filter: Filter = indexed,
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
      const scan = { before, filter: indexed, limit: batchRows, maxBytes: batchBytes, order: "backward" } as const
      const rows = yield* Effect.orElseSucceed(scanBatch(reader, scan), () => [])
      before = rows.at(-1)?.position
      if (before === undefined) return found.reverse()
      found.push(...rows.flatMap(checkpointsIn))
    }
  })

const corrupt = (position: Position): JournalError => {
  const what = "the entries without bodies are not those that a checkpoint signs off"
  return JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: nothing was pruned: from entry ${position} on ${what}`,
  )
}

/**
 * Signs off anew what is left of earlier signatures when everything up to `cut` goes: their digests cover entries that
 * will be gone. A signature that does not hold now is the error, as it would be forgotten.
 */
export const renewStripCheckpoints = (
  reader: Reader,
  first: Position,
  cut: Position,
): Effect.Effect<ReadonlyArray<Checkpoint>, JournalError> =>
  Effect.gen(function* () {
    const rest: Array<Checkpoint> = []
    for (const [, checkpoint] of yield* readCheckpoints(reader, cut)) {
      const { kind, positions = [], through } = checkpoint
      const from = positions[0]?.[0]
      if (kind !== "stripped" || from === undefined || from < first || from > cut || through <= cut) continue
      let range = 0
      const rows: Array<Row> = []
      yield* scanInBatches(reader, { after: from - 1, before: through + 1, headersOnly: true }, (row) => {
        while ((positions[range]?.[1] ?? Infinity) < row.position) range++
        if ((positions[range]?.[0] ?? Infinity) <= row.position) rows.push(row)
      })
      if (rows.reduce(extendStripDigest, "") !== checkpoint.hash) return yield* Effect.fail(corrupt(from))
      const { by, why } = checkpoint
      for (const signature of makeStripCheckpoints(rows.filter((row) => row.position > cut))) {
        rest.push({
          ...signature,
          ...(by === undefined ? undefined : { by }),
          ...(why === undefined ? undefined : { why }),
        })
      }
    }
    return rest
  })
