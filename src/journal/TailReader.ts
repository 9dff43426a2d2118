/**
 * Following a journal: what is there, then what comes.
 *
 * @module
 */
import type * as Arr from "effect/Array"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { decodeRow } from "./entryCodec.ts"
import type { OnCommit } from "./GroupCommitter.ts"
import { type Entry, type Filter, matches, type Position, type Row } from "./Entry.ts"
import type { CloseGate } from "./CloseGate.ts"
import type { TailOptions } from "./JournalService.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { validateNumbers } from "./validateNumbers.ts"
import { RecentEntries } from "./RecentEntries.ts"
import { batchBytes, batchRows, readFirstPosition } from "./scanBatches.ts"
import { Notifier } from "./Notifier.ts"

/** Rows to entries; one that cannot be read is the error. */
export const decodeRows = (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Entry>, JournalError> => {
  const entries: Array<Entry> = []
  try {
    for (const row of rows) entries.push(decodeRow(row))
  } catch (error) {
    return error instanceof JournalError ? Effect.fail(error) : Effect.die(error)
  }
  return Effect.succeed(entries)
}

const isFilled = <A>(items: ReadonlyArray<A>): items is Arr.NonEmptyReadonlyArray<A> => items.length > 0

/** What comes next for somebody who follows is gone. */
export const prunedError = (through: Position): JournalError =>
  JournalError.because(
    { _tag: "Pruned", through },
    `journal: what comes next was pruned: entries up to ${through} are gone`,
  )

const missing = (position: Position): JournalError => {
  const what = "it is not there, and those after it are"
  return JournalError.because({ _tag: "Corrupt", what, position }, `journal: entry ${position} cannot be read: ${what}`)
}

/** The first position after a cursor at which rows that should be all of them are not. */
const gapIn = (rows: ReadonlyArray<Row>, cursor: Position): Position | undefined => {
  const last = rows.at(-1)
  if (last?.position === cursor + rows.length) return undefined
  const index = rows.findIndex((row, at) => row.position !== cursor + at + 1)
  return cursor + Math.max(index, 0) + 1
}

/** Who follows a store: one watch on other processes for all who do, and none when nobody does. */
export class TailReader {
  readonly #gate: CloseGate
  readonly #reader: Pick<JournalStore, "head" | "scan">
  readonly #wakes = new Notifier()
  readonly #watch: RcRef.RcRef<void, JournalError>
  readonly #recent = new RecentEntries()
  #tails = 0
  /** The newest position that somebody here knows of. */
  #known: Position = 0
  /** Whether there may be more that nobody here knows of. */
  #stale = true

  private constructor(
    store: JournalStore,
    gate: CloseGate,
    makeWatch: (wake: () => void) => RcRef.RcRef<void, JournalError>,
  ) {
    this.#gate = gate
    this.#reader = gate.reader(store)
    this.#watch = makeWatch(this.wake)
  }

  static make(store: JournalStore, gate: CloseGate): Effect.Effect<TailReader, never, Scope.Scope> {
    let wake = (): void => {}
    return Effect.map(
      RcRef.make({ acquire: Effect.suspend(() => store.watch(() => wake())) }),
      (watch) =>
        new TailReader(store, gate, (own) => {
          wake = own
          return watch
        }),
    )
  }

  /** Somebody else may have appended, or the journal was closed: those who wait look again. */
  readonly wake = (): void => {
    this.#stale = true
    this.#wakes.wake()
  }

  /** This process has written: see {@link OnCommit}. */
  readonly committed: OnCommit = (rows) => {
    const last = rows?.at(-1)
    if (last === undefined || this.#tails === 0) {
      this.#recent.clear()
      return this.wake()
    }
    this.#recent.add(rows ?? [])
    this.#known = Math.max(this.#known, last.position)
    this.#wakes.wake()
  }

  /** See `JournalService.tail`. */
  tail({ after = 0, filter }: TailOptions = {}): Stream.Stream<Entry, JournalError> {
    return Stream.fromChannel(
      Channel.fromTransform((_, scope) =>
        validateNumbers({ after }, () =>
          Effect.as(
            // Before the first look: what comes between the two wakes it.
            Effect.andThen(
              this.#gate.guard(Scope.provide(RcRef.get(this.#watch), scope)),
              Scope.addFinalizer(scope, Effect.sync(() => this.#tails--)).pipe(
                Effect.andThen(Effect.sync(() => this.#tails++)),
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
    const wakes = this.#wakes
    let cursor = after
    // Of what was pruned before it began nothing was promised to who reads from the very beginning; from then on it is.
    let promised = after > 0

    /** What was appended here and comes next; `undefined` when it is not at hand. */
    const lookHere = (): ReadonlyArray<Entry> | undefined => {
      const rows = this.#recent.after(cursor)?.slice(0, batchRows)
      const last = rows?.at(-1)
      if (rows === undefined || last === undefined) return undefined
      cursor = last.position
      promised = true
      return (filter === undefined ? rows : rows.filter((row) => matches(filter, row))).map((row) =>
        this.#recent.entryOf(row)
      )
    }

    /** Looks once; answers with what is there, and remembers how far it looked. */
    const look: Effect.Effect<ReadonlyArray<Entry>, JournalError> = Effect.gen({ self: this }, function* () {
      // The head first: what a filter leaves out up to it was looked at too, and is not looked at again.
      this.#stale = false
      const { position } = yield* Effect.onError(reader.head, () => Effect.sync(this.wake))
      if (position > this.#known) {
        // Others trusted this look to find what there is, and wait.
        this.#known = position
        wakes.wake()
      }
      if (position <= cursor) {
        promised = true
        return []
      }
      const until = position + 1
      const rows = yield* reader.scan({ after: cursor, before: until, filter, limit: batchRows, maxBytes: batchBytes })
      const next = rows[0]?.position
      // A row that follows at once says that nothing is gone. Asked after the scan: what is pruned meanwhile shows.
      if (next !== cursor + 1) {
        const first = (yield* readFirstPosition(reader)) ?? until
        if (promised && first > cursor + 1) return yield* Effect.fail(prunedError(first - 1))
        cursor = Math.max(cursor, Math.min(first, next ?? first) - 1)
      }
      const gap = filter === undefined && cursor < position ? gapIn(rows, cursor) : undefined
      if (gap !== undefined) return yield* Effect.fail(missing(gap))
      const entries = yield* decodeRows(rows)
      cursor = rows.at(-1)?.position ?? Math.max(cursor, position)
      promised = true
      return entries
    })

    const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<Entry>, JournalError> = Effect.suspend(() => {
      const seen = wakes.count
      const here = lookHere()
      if (here !== undefined) return isFilled(here) ? Effect.succeed(here) : pull
      // Others who follow have looked, and there is nothing new.
      if (promised && cursor >= this.#known && !this.#stale) return Effect.andThen(wakes.beyond(seen), pull)
      return Effect.flatMap(look, (entries) => {
        if (isFilled(entries)) return Effect.succeed(entries)
        // A filter may have left everything out: then there may be more already.
        return wakes.count > seen ? pull : Effect.andThen(wakes.beyond(seen), pull)
      })
    })
    return pull
  }
}
