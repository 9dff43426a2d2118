/**
 * Takes what is old, or what must not be kept, out of a journal, and signs that off in it.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { link, writeDraft, type Written } from "./chain.ts"
import {
  type Checkpoint,
  checkpointBody,
  checkpointTag,
  journalBranch,
  rangesOf,
  strippedDigest,
} from "./checkpoint.ts"
import type { Position, Row } from "./Entry.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore, StoreTransaction } from "./JournalStore.ts"
import { batchBytes, batchRows, scanAll } from "./scanAll.ts"

/**
 * What to prune. By age, number or size: the oldest entries, from the first up to one; what is asked for by several is
 * what the strictest takes. By correlation id: the bodies of these entries, wherever they stand.
 *
 * Nothing is pruned beyond `keepFrom`, and never the last entry.
 */
export interface PruneOptions {
  /** Entries that are older than this. */
  readonly olderThan?: Duration.Input | undefined
  /** Entries up to this position, inclusive. */
  readonly through?: Position | undefined
  /** All but so many of the newest. */
  readonly keepEntries?: number | undefined
  /** All but so many bytes of the newest, about: bodies and 200 bytes for what stands beside each. */
  readonly keepBytes?: number | undefined
  /** The bodies of the entries with these correlation ids. */
  readonly correlationIds?: ReadonlyArray<string> | undefined
  /** The first position that must stay whatever the rest says: that of the oldest request without an answer, say. */
  readonly keepFrom?: Position | undefined
  /** Who prunes, for the checkpoint. */
  readonly by?: string | undefined
  /** And why. */
  readonly why?: string | undefined
}

/** What was pruned. */
export interface PruneReport {
  /** Every entry up to this position is gone; 0 when none went. */
  readonly through: Position
  /** How many went. */
  readonly removed: number
  /** How many lost their body. */
  readonly stripped: number
  /** Positions of the checkpoints that say so. */
  readonly checkpoints: ReadonlyArray<Position>
}

const entryBytes = 200

type Reader = Pick<JournalStore, "scan">

const rowAt = (store: Reader, position: Position): Effect.Effect<Row | undefined, JournalError> =>
  Effect.map(
    store.scan({ after: position - 1, before: position + 1, limit: 1, headersOnly: true }),
    ([row]) => row,
  )

/** The last position whose time is before an instant: by halves, as times nearly always rise with positions. */
const lastBefore = (store: Reader, instant: number, first: Position, last: Position) =>
  Effect.gen(function* () {
    let low = first - 1
    let high = last
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const row = yield* rowAt(store, middle)
      if (row !== undefined && row.time < instant) low = middle
      else high = middle - 1
    }
    return low
  })

/** The last position that must go so that what is left is no larger than so many bytes. */
const lastBeyond = (store: Reader, bytes: number) =>
  Effect.gen(function* () {
    let left = bytes
    let before: Position | undefined
    for (;;) {
      const rows = yield* store.scan({
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
    }
  })

const firstOf = (store: Reader): Effect.Effect<Position, JournalError> =>
  Effect.map(store.scan({ limit: 1, headersOnly: true }), ([row]) => row?.position ?? 1)

/** Up to which position entries go. */
const cutOf = (transaction: StoreTransaction, first: Position, options: PruneOptions) =>
  Effect.gen(function* () {
    const { keepBytes, keepEntries, keepFrom, olderThan, through } = options
    const last = transaction.head.position
    let cut = through ?? 0
    if (keepEntries !== undefined) cut = Math.max(cut, last - Math.max(1, keepEntries))
    if (olderThan !== undefined) {
      const instant = (yield* Clock.currentTimeMillis) - Duration.toMillis(Duration.fromInputUnsafe(olderThan))
      cut = Math.max(cut, yield* lastBefore(transaction, instant, first, last))
    }
    if (keepBytes !== undefined) cut = Math.max(cut, yield* lastBeyond(transaction, keepBytes))
    return Math.min(cut, last - 1, (keepFrom ?? Infinity) - 1)
  })

const written = (checkpoint: Checkpoint): Effect.Effect<Written, JournalError> =>
  Effect.fromResult(
    writeDraft({ branch: journalBranch, correlationId: journalBranch, body: checkpointBody(checkpoint) }),
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
    const first = yield* firstOf(transaction)
    const cut = yield* cutOf(transaction, first, options)
    const signatures: Array<Written> = []
    if (cut >= first) {
      const row = yield* rowAt(transaction, cut)
      if (row === undefined) {
        const what = "it is not there"
        return yield* Effect.fail(
          JournalError.because(
            { _tag: "Corrupt", what, position: cut },
            `journal: entry ${cut} cannot be pruned: ${what}`,
          ),
        )
      }
      const checkpoint = { kind: "removed" as const, through: cut, hash: row.hash, count: cut - first + 1 }
      signatures.push(yield* written({ _tag: checkpointTag, ...checkpoint, ...signed }))
    }
    const doomed: Array<Row> = []
    for (const correlationId of new Set(correlationIds)) {
      const filter = { correlationId }
      yield* scanAll(transaction, { after: Math.max(cut, first - 1), before: keepFrom, filter }, (row) => {
        // A checkpoint must stay readable, whatever id it is called by.
        if (row.body !== "" && row.branch !== journalBranch) doomed.push({ ...row, body: "" })
      })
    }
    doomed.sort((a, b) => a.position - b.position)
    const last = doomed.at(-1)
    if (last !== undefined) {
      const positions = rangesOf(doomed.map((row) => row.position))
      const hash = doomed.reduce(strippedDigest, "")
      const checkpoint = { kind: "stripped" as const, through: last.position, hash, count: doomed.length, positions }
      signatures.push(yield* written({ _tag: checkpointTag, ...checkpoint, ...signed }))
    }
    const rows = link(transaction.head, yield* Clock.currentTimeMillis, signatures)
    if (rows.length > 0) yield* transaction.insert(rows)
    if (doomed.length > 0) yield* transaction.strip(doomed.map((row) => row.position))
    if (cut >= first) yield* transaction.removeThrough(cut)
    return {
      through: cut >= first ? cut : 0,
      removed: cut >= first ? cut - first + 1 : 0,
      stripped: doomed.length,
      checkpoints: rows.map((row) => row.position),
    }
  })
