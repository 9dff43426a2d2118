/** Defines checkpoints, the entries that record what was pruned so that the rest can still be verified. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { defined } from "../base/defined.ts"
import { sha256 } from "../base/sha256.ts"
import { type Body, type Entry, type Filter, matches, type Position, type Row, withoutBody } from "./Entry.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { decodeRow } from "./entryCodec.ts"
import { batchBytes, batchRows, scanBatch, scanInBatches } from "./scanBatches.ts"

/**
 * The branch of a journal's own entries.
 *
 * @stability stable
 */
export const journalBranch = "journal"

export const checkpointTag = "Checkpoint"

/**
 * Schema of a checkpoint.
 *
 * - `removed`: every entry up to `through` was removed, `count` of them; `hash` is the hash of the entry at `through`, to
 *   which the first remaining entry is chained.
 * - `stripped`: the bodies of `count` entries were removed, at `positions` (ranges, inclusive); `through` is the last of
 *   them, and `hash` a digest over their other fields.
 * - `by`, `why`: the name of the pruner, and the reason.
 */
export const Checkpoint: Schema.TaggedStruct<"Checkpoint", {
  readonly kind: Schema.Literals<readonly ["removed", "stripped"]>
  readonly through: typeof Schema.Int
  readonly hash: typeof Schema.String
  readonly count: typeof Schema.Int
  readonly positions: Schema.optionalKey<Schema.$Array<Schema.Tuple<readonly [typeof Schema.Int, typeof Schema.Int]>>>
  readonly by: Schema.optionalKey<typeof Schema.String>
  readonly why: Schema.optionalKey<typeof Schema.String>
}> = Schema.TaggedStruct(checkpointTag, {
  kind: Schema.Literals(["removed", "stripped"]),
  through: Schema.Int,
  hash: Schema.String,
  count: Schema.Int,
  positions: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))),
  by: Schema.optionalKey(Schema.String),
  why: Schema.optionalKey(Schema.String),
})

/**
 * A record of what was pruned.
 *
 * @stability stable
 */
export type Checkpoint = typeof Checkpoint.Type

const decode = Schema.decodeUnknownOption(Checkpoint)

/** The checkpoint that an entry holds; `undefined` for any other entry. */
export const decodeCheckpoint = (entry: Entry): Checkpoint | undefined =>
  entry.branch === journalBranch ? Option.getOrUndefined(decode(entry.body)) : undefined

export const encodeCheckpoint = ({ by, count, hash, kind, positions, through, why }: Checkpoint): Body => ({
  _tag: checkpointTag,
  ...defined({ by }),
  count,
  hash,
  kind,
  ...defined({ positions }),
  through,
  ...defined({ why }),
})

const toRanges = (positions: ReadonlyArray<Position>): Array<[Position, Position]> => {
  const ranges: Array<[Position, Position]> = []
  for (const position of positions) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === position - 1) last[1] = position
    else ranges.push([position, position])
  }
  return ranges
}

/** Adds a stripped row to the digest of a `stripped` checkpoint. The digest of no rows is `""`. */
export const extendStripDigest = (digest: string, row: Omit<Row, "body">): string =>
  sha256(
    JSON.stringify([digest, row.position, row.time, row.branch, row.correlationId, row.tag, row.version, row.hash]),
  )

type Reader = Pick<JournalStore, "scan">

/** Maximum number of entries that one checkpoint records, so that its body fits into an entry. */
const maxRecorded = 10_000

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

const checkpointFilter: Filter = { branch: journalBranch, tags: [checkpointTag] }

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
 * Reads the checkpoints between two positions, both exclusive. Checkpoints that cannot be decoded are skipped. With an
 * empty filter every row is read, so that no index has to be correct.
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
        maxRows: batchRows,
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
  const what = "the entries without bodies differ from those that a checkpoint records"
  return JournalError.because(
    { _tag: "Corrupt", what, position },
    `journal: nothing was pruned: from entry ${position} on ${what}`,
  )
}

export class StripRecord {
  readonly first: Position
  readonly last: Position
  readonly #hash: string
  readonly #ranges: ReadonlyArray<readonly [Position, Position]>
  #range = 0
  #digest = ""
  /** Whether the walk passes all of the entries: otherwise the digest cannot be compared. */
  isComplete: boolean

  constructor({ hash, positions = [], through }: Checkpoint, walkedThrough: Position) {
    this.#ranges = positions
    this.first = positions[0]?.[0] ?? 0
    this.last = through
    this.#hash = hash
    this.isComplete = this.first > walkedThrough
  }

  add(row: Row): boolean {
    while ((this.#ranges[this.#range]?.[1] ?? Infinity) < row.position) this.#range++
    if ((this.#ranges[this.#range]?.[0] ?? Infinity) > row.position) return false
    this.#digest = extendStripDigest(this.#digest, row)
    return true
  }

  get isValid(): boolean {
    return !this.isComplete || this.#digest === this.#hash
  }
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
      const record = new StripRecord(checkpoint, 0)
      const rows: Array<Row> = []
      yield* scanInBatches(reader, { after: from - 1, before: through + 1, headersOnly: true }, (row) => {
        if (record.add(row)) rows.push(row)
      })
      if (!record.isValid) return yield* Effect.fail(corruptError(from))
      const authorship = defined({ by: checkpoint.by, why: checkpoint.why })
      for (const renewed of makeStripCheckpoints(rows.filter((row) => row.position > limit))) {
        rest.push({ ...renewed, ...authorship })
      }
    }
    return rest
  })
