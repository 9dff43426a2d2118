/**
 * Copies what the store of a damaged journal can still read, except stripped entries and checkpoints, into an empty store
 * in a new hash chain, and appends a report of the lost, unproven and left-out entries.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { canonicalJson } from "../base/canonicalJson.ts"
import { decodeRow, type EncodedDraft, encodeDraft } from "./entryCodec.ts"
import { checkpointTag, decodeCheckpoint, journalBranch } from "./checkpoint.ts"
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
 * What a salvage copied, and what it could not.
 *
 * @stability stable
 */
export interface SalvageReport {
  /** Number of entries that were copied. */
  readonly entries: number
  /** Positions of the source without a readable entry: at most the first 1,000 ranges. */
  readonly lost: ReadonlyArray<PositionRange>
  /** Number of positions in all such ranges. */
  readonly lostEntries: number
  /** Whether what follows the last readable entry is damaged, too: how many entries were there is not known. */
  readonly endLost: boolean
  /**
   * Positions of the source that were copied although their hash does not follow from the previous entry: that one is
   * lost, or one of the two was changed.
   */
  readonly unproven: ReadonlyArray<PositionRange>
  /** Number of entries that were left out: stripped ones, and checkpoints of the source. */
  readonly leftOut: number
  /** The last position that had been pruned from the source; 0 when none was. */
  readonly removedThrough: Position
}

/** The tag of the last entry of a salvaged journal, which holds the report. */
export const salvagedTag = "Salvaged"

/** Maximum number of ranges in a report. */
const maxRanges = 1_000

/** Maximum number of rows of one transaction. */
const batchRows = 256

/** A draft and the time of its source entry. */
interface SalvagedDraft {
  readonly draft: EncodedDraft
  readonly time: number
}

/** Ascending positions as a bounded list of ranges. */
class Ranges {
  readonly list: Array<[Position, Position]> = []
  count = 0

  add(from: Position, to: Position = from): void {
    if (to < from) return
    this.count += to - from + 1
    const last = this.list.at(-1)
    if (last !== undefined && last[1] === from - 1) last[1] = to
    else if (this.list.length < maxRanges) this.list.push([from, to])
  }
}

/** Decides for each row whether it is copied, and collects the report. */
class RowFilter {
  readonly lost = new Ranges()
  readonly unproven = new Ranges()
  #last: Head = { position: 0, hash: noHash }
  #first: Position | undefined
  leftOut = 0
  removedThrough: Position = 0

  /** The draft and time of a row; `undefined` when it is not copied. */
  filter(row: Row): SalvagedDraft | undefined {
    const draft = this.#toDraft(row)
    if (draft === undefined) return undefined
    this.#first ??= row.position
    if (row.position > this.#last.position + 1 && this.#last.position > 0) {
      this.lost.add(this.#last.position + 1, row.position - 1)
    }
    const follows = row.position === this.#last.position + 1 && this.#last.hash !== ""
    const stripped = row.body === ""
    const isProven = stripped || (follows && isChained(this.#last.hash, row))
    this.#last = { position: row.position, hash: row.hash }
    const checkpoint = draft === "stripped" ? undefined : decodeCheckpoint(decodeRow(row))
    if (checkpoint?.kind === "removed") this.removedThrough = Math.max(this.removedThrough, checkpoint.through)
    if (draft === "stripped" || (row.branch === journalBranch && row.tag === checkpointTag)) {
      this.leftOut++
      return undefined
    }
    if (!isProven) this.unproven.add(row.position)
    return { draft, time: row.time }
  }

  #toDraft(row: Row): EncodedDraft | "stripped" | undefined {
    if (row.position <= this.#last.position) return undefined
    if (row.body === "") return "stripped"
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

  /** Adds what was lost before the first entry: only now is it known whether a checkpoint records its removal. */
  finish(): void {
    const first = this.#first ?? 1
    this.removedThrough = Math.min(this.removedThrough, first - 1)
    if (first - 1 <= this.removedThrough) return
    const found = [...this.lost.list]
    this.lost.list.length = 0
    const count = this.lost.count
    this.lost.add(this.removedThrough + 1, first - 1)
    this.lost.list.push(...found.slice(0, maxRanges - this.lost.list.length))
    this.lost.count = count + first - 1 - this.removedThrough
  }
}

const notEmptyError = (location: string): JournalError =>
  JournalError.because(
    { _tag: "Invalid", field: "to" },
    `journal: nothing was salvaged: ${location} has entries already; name a new journal`,
  )

/** No entry is looked for further behind a damaged place. */
const maxSkip = 2 ** 45

type Read = Effect.Effect<ReadonlyArray<Row> | JournalError, JournalError>

/** The rows of a read, or the error of the first of them that cannot be read. */
const orDamage = (read: Effect.Effect<ReadonlyArray<Row>, JournalError>): Read =>
  Effect.catchReason(read, "JournalError", "Corrupt", (_, error) => Effect.succeed(error))

/** The first readable position behind an unreadable one, by exponential and then binary search. */
const skipDamage = (
  from: Pick<JournalStore, "scan">,
  damaged: Position,
): Effect.Effect<Position | undefined, JournalError> =>
  Effect.gen(function* () {
    const isReadable = (at: Position) =>
      Effect.map(orDamage(from.scan({ after: at - 1, limit: 1 })), (rows) => !(rows instanceof JournalError))
    let low = damaged
    let high = damaged + 1
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
 * Copies what the store of a damaged journal can still read into an empty one: with their times, in order, at positions
 * from 1 on, in a new chain. Its last entry, of the branch `journal` and the tag `Salvaged`, holds the source and the
 * report. Entries that the store cannot read are passed over; where it can read none, or cannot be opened, the tools of its
 * medium may help, such as `.recover` of the sqlite3 program. Errors: `Invalid` when `to` has entries, `Corrupt` when none
 * can be read, and those of reading and writing.
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
 *
 * @stability experimental
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
      const batchScan = { after: start, limit: batchRows, maxBytes: batchBytes }
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
    if (entries === 0 && damage !== undefined) return yield* Effect.fail(damage)
    rowFilter.finish()
    const { leftOut, lost, removedThrough, unproven } = rowFilter
    const report: SalvageReport = {
      entries,
      lost: lost.list,
      lostEntries: lost.count,
      endLost,
      unproven: unproven.list,
      leftOut,
      removedThrough,
    }
    const body = canonicalJson({ _tag: salvagedTag, source: from.location, ...report })
    const note = { branch: journalBranch, correlationId: journalBranch, tag: salvagedTag, version: 1, body }
    yield* write([{ draft: note, time: Math.floor(yield* Clock.currentTimeMillis) }])
    return report
  })
