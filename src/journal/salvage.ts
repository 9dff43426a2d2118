/** Copies the readable rows of a damaged journal into an empty store, in a new hash chain. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { canonicalJson } from "../base/canonicalJson.ts"
import { corruptEntryError, decodeRow, type EncodedDraft, encodeDraft } from "./entryCodec.ts"
import { type Checkpoint, checkpointTag, decodeCheckpoint, journalBranch } from "./checkpoint.ts"
import { type Head, noHash, type Position, type Row } from "./Entry.ts"
import { chainRows, isChained } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { batchBytes, scanBatch } from "./scanBatches.ts"

/**
 * Positions, both inclusive.
 *
 * @stability stable
 */
export type PositionRange = readonly [from: Position, to: Position]

/**
 * The result of a salvage: the entries that it copied, and those that it could not.
 *
 * @stability stable
 */
export interface SalvageReport {
  readonly entries: number
  /** Positions of the source without a readable entry: at most the first 1,000 ranges. */
  readonly lost: ReadonlyArray<PositionRange>
  /** Number of positions in all such ranges. */
  readonly lostEntries: number
  /** Whether the part after the last readable entry is damaged, too; the number of entries in it is unknown. */
  readonly endLost: boolean
  /**
   * Positions of the source that were copied although their hash does not follow from the previous entry, because that
   * entry is lost or one of the two was changed.
   */
  readonly unproven: ReadonlyArray<PositionRange>
  /** Number of entries that were left out: the source's checkpoints, and entries that a checkpoint records as stripped. */
  readonly leftOut: number
  /** The last position that a checkpoint in its chain records as pruned from the source; 0 when none does. */
  readonly removedThrough: Position
}

/** The tag of the last entry of a salvaged journal, which holds the report. */
const salvagedTag = "Salvaged"

const maxRanges = 1_000

const batchRows = 256

interface SalvagedDraft {
  readonly draft: EncodedDraft
  readonly time: number
}

const merged = (ranges: ReadonlyArray<PositionRange>): ReadonlyArray<PositionRange> => {
  const list: Array<[Position, Position]> = []
  for (const [from, to] of ranges.toSorted((one, other) => one[0] - other[0])) {
    const last = list.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else list.push([from, to])
  }
  return list
}

const addPosition = (ranges: Array<[Position, Position]>, position: Position): void => {
  const last = ranges.at(-1)
  if (last?.[1] === position - 1) last[1] = position
  else ranges.push([position, position])
}

/** Decides for each row whether it is copied, and accounts for every position up to the last row. */
class RowFilter {
  readonly #lost: Array<[Position, Position]> = []
  readonly #stripped: Array<[Position, Position]> = []
  readonly #recorded: Array<PositionRange> = []
  readonly #unproven: Array<[Position, Position]> = []
  #last: Head = { position: 0, hash: noHash }
  #first: Position | undefined
  #removedThrough: Position = 0
  #checkpoints = 0

  /** The draft and time of a row; `undefined` when it is not copied. */
  filter(row: Row): SalvagedDraft | undefined {
    const { body, hash, position, time } = row
    if (!(position > this.#last.position)) return undefined
    this.#first ??= position
    const gap = this.#last.position + 1
    if (position > gap) this.#lost.push([gap, position - 1])
    const isProven = position === gap && isChained(this.#last.hash, row)
    this.#last = { position, hash }
    if (body === "") {
      addPosition(this.#stripped, position)
      return undefined
    }
    const draft = this.#toDraft(row)
    if (draft === undefined) {
      addPosition(this.#lost, position)
      return undefined
    }
    if (row.branch === journalBranch && row.tag === checkpointTag) {
      this.#checkpoints++
      // Another one may have been written to hide a loss.
      if (isProven) this.#follow(decodeCheckpoint(decodeRow(row)))
      return undefined
    }
    if (!isProven) addPosition(this.#unproven, position)
    return { draft, time }
  }

  #toDraft(row: Row): EncodedDraft | undefined {
    try {
      const { body } = decodeRow(row)
      if (body === undefined) return undefined
      const { branch, correlationId, version } = row
      return Option.getOrUndefined(Result.getSuccess(encodeDraft({ branch, correlationId, version, body })))
    } catch (error) {
      if (error instanceof JournalError) return undefined
      throw error
    }
  }

  #follow(checkpoint: Checkpoint | undefined): void {
    if (checkpoint?.kind === "removed") this.#removedThrough = Math.max(this.#removedThrough, checkpoint.through)
    else this.#recorded.push(...checkpoint?.positions ?? [])
  }

  report(entries: number, endLost: boolean): SalvageReport {
    const removedThrough = Math.min(this.#removedThrough, (this.#first ?? 1) - 1)
    const recorded = merged(this.#recorded)
    const isRecorded = (at: Position): boolean => recorded.some(([from, to]) => from <= at && at <= to)
    let leftOut = this.#checkpoints
    const unrecorded: Array<[Position, Position]> = []
    for (const [from, to] of this.#stripped) {
      for (let at = from; at <= to; at++) {
        if (isRecorded(at)) leftOut++
        else addPosition(unrecorded, at)
      }
    }
    const lost = merged([...this.#lost, ...unrecorded])
      .map(([from, to]): PositionRange => [Math.max(from, removedThrough + 1), to])
      .filter(([from, to]) => from <= to)
    return {
      entries,
      lost: lost.slice(0, maxRanges),
      lostEntries: lost.reduce((sum, [from, to]) => sum + to - from + 1, 0),
      endLost,
      unproven: this.#unproven.slice(0, maxRanges),
      leftOut,
      removedThrough,
    }
  }
}

const notEmptyError = (location: string): JournalError =>
  JournalError.because(
    { _tag: "Invalid", field: "to" },
    `journal: nothing was salvaged: ${location} has entries already; name a new journal`,
  )

/** Number of positions that are tried one by one after a damaged one: as many as damaged lines and pages have. */
const maxSteps = 512

/** Maximum distance of the search for an entry after a damaged place. */
const maxSkip = 2 ** 45

type Read = Effect.Effect<ReadonlyArray<Row> | JournalError, JournalError>

const orDamage = (read: Effect.Effect<ReadonlyArray<Row>, JournalError>): Read =>
  Effect.catchReason(read, "JournalError", "Corrupt", (_, error) => Effect.succeed(error))

/** The first readable position after an unreadable one: searched one by one, then by exponential and binary search. */
const skipDamage = (
  from: Pick<JournalStore, "scan">,
  damaged: Position,
): Effect.Effect<Position | undefined, JournalError> =>
  Effect.gen(function* () {
    const isReadable = (at: Position) =>
      Effect.map(orDamage(from.scan({ after: at - 1, maxRows: 1 })), (rows) => !(rows instanceof JournalError))
    for (let at = damaged + 1; at <= damaged + maxSteps; at++) {
      if (yield* isReadable(at)) return at
      yield* Effect.yieldNow
    }
    let low = damaged + maxSteps
    let high = low + 1
    for (let step = 1; !(yield* isReadable(high)); step *= 2) {
      if (step > maxSkip) return undefined
      low = high
      high += step
    }
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (yield* isReadable(middle)) high = middle
      else low = middle
    }
    return high
  })

/**
 * Copies the entries that the store of a damaged journal can still read into an empty store, with their times, in order,
 * from position 1 on, in a new chain. A last entry, of the branch `journal` and the tag `Salvaged`, holds the source and the
 * report. Unreadable entries are skipped; if the store can read none or cannot be opened, tools of its medium may help, such
 * as `.recover` of the sqlite3 program. Errors: `Invalid` when `to` has entries, `Corrupt` when none can be read, and those
 * of reading and writing.
 *
 * @example
 * ```ts
 * import { JournalStore } from "@sluice/shell/journal"
 * import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
 * import { SqliteJournal } from "@sluice/shell/journal/sqlite"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "salvage-"))
 * const [damaged, fresh] = [join(folder, "damaged.ndjson"), join(folder, "new.db")]
 * const note = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const append = Effect.flatMap(NdjsonJournal.make({ path: damaged }), (journal) => journal.append([note]))
 * await Effect.runPromise(Effect.scoped(append))
 *
 * const salvage = Effect.gen(function* () {
 *   const from = yield* NdjsonJournal.openStore({ path: damaged, mode: "read" })
 *   return yield* JournalStore.salvage(from, yield* SqliteJournal.openStore({ path: fresh }))
 * })
 * const report = await Effect.runPromise(Effect.scoped(salvage))
 * console.log(report.entries, report.lostEntries) // 1 0
 * ```
 */
export const salvage = (
  from: Pick<JournalStore, "scan" | "location">,
  to: JournalStore,
): Effect.Effect<SalvageReport, JournalError> =>
  Effect.gen(function* () {
    if ((yield* to.head).position > 0) return yield* Effect.fail(notEmptyError(to.location))
    const rowFilter = new RowFilter()
    let entries = 0
    let after: Position | undefined = 0
    let damage: JournalError | undefined
    let endLost = false

    const write = (batch: ReadonlyArray<SalvagedDraft>) =>
      to.transact(to.durabilities.includes("os") ? "os" : "memory", (transaction) => {
        let head = transaction.head
        const rows = batch.flatMap(({ draft, time }) => {
          const chained = chainRows(head, time, [draft])
          head = chained.at(-1) ?? head
          return chained
        })
        return transaction.insert(rows)
      })

    while (after !== undefined) {
      const start: Position = after
      const batchScan = { after: start, maxRows: batchRows, maxBytes: batchBytes }
      const rows: ReadonlyArray<Row> | JournalError = yield* orDamage(scanBatch(from, batchScan))
      if (rows instanceof JournalError) {
        damage ??= rows
        const next: Position | undefined = yield* skipDamage(from, start + 1)
        endLost = next === undefined
        after = next === undefined ? undefined : next - 1
        continue
      }
      const batch = rows.flatMap((row) => rowFilter.filter(row) ?? [])
      if (batch.length > 0) yield* write(batch)
      entries += batch.length
      after = rows.at(-1)?.position
      yield* Effect.yieldNow
    }
    const report = rowFilter.report(entries, endLost)
    if (entries === 0 && (damage !== undefined || report.lostEntries > 0)) {
      return yield* Effect.fail(damage ?? corruptEntryError(report.lost[0]?.[0] ?? 1, "and no other one can be"))
    }
    const body = canonicalJson({ _tag: salvagedTag, source: from.location, ...report })
    const note = { branch: journalBranch, correlationId: journalBranch, tag: salvagedTag, version: 1, body }
    yield* write([{ draft: note, time: Math.floor(yield* Clock.currentTimeMillis) }])
    return report
  })
