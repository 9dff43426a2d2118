/** Streams the existing entries of a store and then new ones to the tails of a journal. */
import * as Arr from "effect/Array"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CloseGate } from "./CloseGate.ts"
import { type Entry, type Filter, matches, type Position, type Row } from "./Entry.ts"
import { corruptEntryError, decodeRow } from "./entryCodec.ts"
import type { OnCommit } from "./GroupCommitter.ts"
import { JournalError } from "./JournalError.ts"
import type { TailOptions } from "./JournalService.ts"
import type { JournalStore } from "./JournalStore.ts"
import { Notifier } from "./Notifier.ts"
import { RecentEntries } from "./RecentEntries.ts"
import { batchBytes, batchRows, readFirstPosition } from "./scanBatches.ts"
import { validateNumbers } from "./validateNumbers.ts"

export const decodeRows = (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Entry>, JournalError> => {
  const entries: Array<Entry> = []
  try {
    for (const row of rows) entries.push(decodeRow(row))
  } catch (error) {
    return error instanceof JournalError ? Effect.fail(error) : Effect.die(error)
  }
  return Effect.succeed(entries)
}

const prunedError = (through: Position): JournalError =>
  JournalError.because(
    { _tag: "Pruned", through },
    `journal: the next entries were pruned: entries up to ${through} are gone`,
  )

const findGap = (rows: ReadonlyArray<Row>, cursor: Position): Position | undefined => {
  const last = rows.at(-1)
  if (last?.position === cursor + rows.length) return undefined
  const index = rows.findIndex((row, at) => row.position !== cursor + at + 1)
  return cursor + Math.max(index, 0) + 1
}

/** Whether the store may have entries that no tail has read, and the tails that wait for them. */
class StoreChanges {
  readonly notifier = new Notifier()
  isStale = true

  readonly report = (): void => {
    this.isStale = true
    this.notifier.notifyAll()
  }
}

/** Serves the tails of one store: all share one watch for other processes, which runs only while there is a tail. */
export class TailReader {
  readonly #gate: CloseGate
  readonly #reader: Pick<JournalStore, "head" | "scan">
  readonly #changes: StoreChanges
  readonly #watch: RcRef.RcRef<void, JournalError>
  readonly #recent = new RecentEntries()
  #tailCount = 0
  /** The newest position that any tail, or a commit of this process, has seen. */
  #newest: Position = 0
  /** Makes every tail read the store again: another process may have appended, or the journal was closed. */
  readonly wake: () => void

  private constructor(
    store: JournalStore,
    gate: CloseGate,
    changes: StoreChanges,
    watch: RcRef.RcRef<void, JournalError>,
  ) {
    this.#gate = gate
    this.#reader = gate.guardReads(store)
    this.#changes = changes
    this.#watch = watch
    this.wake = changes.report
  }

  static make(store: JournalStore, gate: CloseGate): Effect.Effect<TailReader, never, Scope.Scope> {
    return Effect.suspend(() => {
      const changes = new StoreChanges()
      const { report } = changes
      // No watch has seen the entries that other processes appended while there was no tail.
      const acquire = Effect.suspend(() => Effect.tap(store.watch(report), () => Effect.sync(report)))
      return Effect.map(RcRef.make({ acquire }), (watch) => new TailReader(store, gate, changes, watch))
    })
  }

  readonly onCommit: OnCommit = (rows) => {
    const last = rows?.at(-1)
    if (last === undefined || this.#tailCount === 0) {
      this.#recent.clear()
      return this.wake()
    }
    this.#recent.add(rows ?? [])
    this.#newest = Math.max(this.#newest, last.position)
    this.#changes.notifier.notifyAll()
  }

  tail({ after = 0, filter }: TailOptions = {}): Stream.Stream<Entry, JournalError> {
    return Stream.fromChannel(
      Channel.fromTransform((_, scope) =>
        validateNumbers({ after }, () =>
          Effect.as(
            // The watch starts before the first read, so that an entry between the two is not missed.
            Effect.andThen(
              this.#gate.guard(Scope.provide(RcRef.get(this.#watch), scope)),
              Scope.addFinalizer(scope, Effect.sync(() => this.#tailCount--)).pipe(
                Effect.andThen(Effect.sync(() => this.#tailCount++)),
                Effect.uninterruptible,
              ),
            ),
            this.#pull(after, filter),
          ))
      ),
    )
  }

  #pull(after: Position, filter: Filter | undefined): Effect.Effect<Arr.NonEmptyReadonlyArray<Entry>, JournalError> {
    const reader = this.#reader
    const changes = this.#changes
    const { notifier } = changes
    let cursor = after
    // A tail from 0 skips what was pruned before it started; from then on a pruned entry is an error.
    let failsOnPruned = after > 0

    const readRecent = (): ReadonlyArray<Entry> | undefined => {
      const rows = this.#recent.after(cursor)?.slice(0, batchRows)
      const last = rows?.at(-1)
      if (rows === undefined || last === undefined) return undefined
      cursor = last.position
      failsOnPruned = true
      return (filter === undefined ? rows : rows.filter((row) => matches(filter, row))).map((row) =>
        this.#recent.decode(row)
      )
    }

    const readStore: Effect.Effect<ReadonlyArray<Entry>, JournalError> = Effect.gen({ self: this }, function* () {
      // The head first: entries up to it that the filter rejects are not read again.
      changes.isStale = false
      const { position } = yield* Effect.onError(reader.head, () => Effect.sync(this.wake))
      if (position > this.#newest) {
        // The other tails rely on this read of the store.
        this.#newest = position
        notifier.notifyAll()
      }
      if (position <= cursor) {
        failsOnPruned = true
        return []
      }
      const before = position + 1
      const rows = yield* reader.scan({ after: cursor, before, filter, maxRows: batchRows, maxBytes: batchBytes })
      const next = rows[0]?.position
      // A row right after the cursor proves that nothing is missing. Read after the scan, so that a concurrent prune is
      // noticed.
      if (next !== cursor + 1) {
        const first = (yield* readFirstPosition(reader)) ?? before
        if (failsOnPruned && first > cursor + 1) return yield* Effect.fail(prunedError(first - 1))
        cursor = Math.max(cursor, Math.min(first, next ?? first) - 1)
      }
      const gap = filter === undefined && cursor < position ? findGap(rows, cursor) : undefined
      if (gap !== undefined) {
        return yield* Effect.fail(corruptEntryError(gap, "it is missing, and later entries are there"))
      }
      const entries = yield* decodeRows(rows)
      cursor = rows.at(-1)?.position ?? Math.max(cursor, position)
      failsOnPruned = true
      return entries
    })

    const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<Entry>, JournalError> = Effect.suspend(() => {
      const seen = notifier.count
      const recent = readRecent()
      if (recent !== undefined) return Arr.isReadonlyArrayNonEmpty(recent) ? Effect.succeed(recent) : pull
      // Another tail has already read the store, and there is nothing new.
      if (failsOnPruned && cursor >= this.#newest && !changes.isStale) {
        return Effect.andThen(notifier.waitBeyond(seen), pull)
      }
      return Effect.flatMap(readStore, (entries) => {
        if (Arr.isReadonlyArrayNonEmpty(entries)) return Effect.succeed(entries)
        // The filter may have rejected the whole batch, and there may be more rows.
        return notifier.count > seen ? pull : Effect.andThen(notifier.waitBeyond(seen), pull)
      })
    })
    return pull
  }
}
