/**
 * Copies what can be read of a damaged journal into a new one.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { canonicalJson } from "../base/canonicalJson.ts"
import { chainRows, decodeRow, type EncodedDraft, encodeDraft } from "./entryCodec.ts"
import { checkpointTag, decodeCheckpoint, journalBranch } from "./checkpoint.ts"
import { type Head, noHash, type Position, type Row } from "./Entry.ts"
import { hashEntry } from "./hashChain.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { batchBytes } from "./scanBatches.ts"

/** What a damaged store yields: a row that looks whole, or bytes that are no entry. Rows come in order of position. */
export type SalvagedItem = { readonly row: Row } | { readonly bytes: number }

/** Positions, from and to, both included. */
export type PositionRange = readonly [from: Position, to: Position]

/** What was copied, and what was not. */
export interface SalvageReport {
  /** Entries that were copied. */
  readonly entries: number
  /** Positions of the source at which no entry could be read; of very many ranges the first thousand. */
  readonly lost: ReadonlyArray<PositionRange>
  /** How many positions that are. */
  readonly lostEntries: number
  /** Bytes of the source that are no entry, where the store can tell: 0 for SQLite. */
  readonly lostBytes: number
  /**
   * Positions of the source whose entries were copied though their hash does not follow from the entry before them: it
   * is not there, or one of the two was changed.
   */
  readonly unproven: ReadonlyArray<PositionRange>
  /** Entries without contents, which had been pruned, and checkpoints of the source: they were left out. */
  readonly leftOut: number
  /** Everything up to this position had been pruned from the source; 0 when nothing was. */
  readonly removedThrough: Position
}

/** The tag of the entry with which a salvaged journal ends. */
export const salvagedTag = "Salvaged"

const maxRanges = 1_000

/** Rows of one transaction. */
const batchRows = 256

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

/** Judges rows as they come. */
class Judge {
  readonly lost = new Ranges()
  readonly unproven = new Ranges()
  #last: Head = { position: 0, hash: noHash }
  #first: Position | undefined
  lostBytes = 0
  leftOut = 0
  removedThrough: Position = 0

  /** What is to be written for a row, with its time; `undefined` when nothing is. */
  take(row: Row): { readonly written: EncodedDraft; readonly time: number } | undefined {
    const draft = this.#draft(row)
    if (draft === undefined) return undefined
    this.#first ??= row.position
    if (row.position > this.#last.position + 1 && this.#last.position > 0) {
      this.lost.add(this.#last.position + 1, row.position - 1)
    }
    const follows = row.position === this.#last.position + 1 && this.#last.hash !== ""
    const stripped = row.body === ""
    const proven = stripped || (follows && hashEntry(this.#last.hash, row) === row.hash)
    this.#last = { position: row.position, hash: row.hash }
    const checkpoint = draft === "stripped" ? undefined : decodeCheckpoint(decodeRow(row))
    if (checkpoint?.kind === "removed") this.removedThrough = Math.max(this.removedThrough, checkpoint.through)
    if (draft === "stripped" || (row.branch === journalBranch && row.tag === checkpointTag)) {
      this.leftOut++
      return undefined
    }
    if (!proven) this.unproven.add(row.position)
    return { written: draft, time: row.time }
  }

  #draft(row: Row): EncodedDraft | "stripped" | undefined {
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

  /** What was lost before the first entry is known at the end: a checkpoint may say that it had been pruned. */
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

const notEmpty = (location: string): JournalError =>
  JournalError.because(
    { _tag: "Invalid", field: "to" },
    `journal: nothing was salvaged: ${location} has entries already; name a new journal`,
  )

/** What a failed read of the source was. */
export type ToError = (error: unknown) => JournalError

/**
 * Copies the entries that a damaged store yields into an empty one: with their times, in their order, at positions from
 * 1 on. Their chain is a new one; its last entry, of the branch `journal` and the tag `Salvaged`, says where they come
 * from, and what was lost. Others run between the batches.
 */
export const salvageInto = (
  to: JournalStore,
  source: string,
  found: Iterator<SalvagedItem>,
  toError: ToError,
): Effect.Effect<SalvageReport, JournalError> =>
  Effect.gen(function* () {
    if ((yield* to.head).position > 0) return yield* Effect.fail(notEmpty(to.location))
    const judge = new Judge()
    let entries = 0
    let over = false

    /** The next rows that are to be written. */
    const next = Effect.try({
      try: () => {
        const batch: Array<{ readonly written: EncodedDraft; readonly time: number }> = []
        for (let length = 0, looked = 0; batch.length < batchRows && length < batchBytes && looked < 4 * batchRows;) {
          const item = found.next()
          if (item.done === true) {
            over = true
            break
          }
          looked++
          if ("bytes" in item.value) {
            judge.lostBytes += item.value.bytes
            continue
          }
          const taken = judge.take(item.value.row)
          if (taken === undefined) continue
          batch.push(taken)
          length += taken.written.body.length
        }
        return batch
      },
      catch: toError,
    })

    const write = (batch: ReadonlyArray<{ readonly written: EncodedDraft; readonly time: number }>) =>
      to.transact(to.durabilities.includes("os") ? "os" : "memory", (transaction) => {
        let head = transaction.head
        const rows = batch.flatMap(({ time, written }) => {
          const made = chainRows(head, time, [written])
          head = made.at(-1) ?? head
          return made
        })
        return transaction.insert(rows)
      })

    while (!over) {
      const batch = yield* next
      if (batch.length > 0) yield* write(batch)
      entries += batch.length
      yield* Effect.yieldNow
    }
    judge.finish()
    const { leftOut, lost, lostBytes, removedThrough, unproven } = judge
    const report: SalvageReport = {
      entries,
      lost: lost.list,
      lostEntries: lost.count,
      lostBytes,
      unproven: unproven.list,
      leftOut,
      removedThrough,
    }
    const body = canonicalJson({ _tag: salvagedTag, source, ...report })
    const note = { branch: journalBranch, correlationId: journalBranch, tag: salvagedTag, version: 1, body }
    yield* write([{ written: note, time: Math.floor(yield* Clock.currentTimeMillis) }])
    return report
  })
