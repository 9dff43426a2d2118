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
import { entryOfRow } from "./chain.ts"
import type { Entry, Filter, Position, Row } from "./Entry.ts"
import type { Gate } from "./Gate.ts"
import type { TailOptions } from "./JournalService.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { withNumbers } from "./options.ts"
import { batchBytes, batchRows, firstOf } from "./scanAll.ts"
import { Wakes } from "./Wakes.ts"

/** Rows to entries; one that cannot be read is the error. */
export const entriesOf = (rows: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Entry>, JournalError> => {
  const entries: Array<Entry> = []
  try {
    for (const row of rows) entries.push(entryOfRow(row))
  } catch (error) {
    return error instanceof JournalError ? Effect.fail(error) : Effect.die(error)
  }
  return Effect.succeed(entries)
}

const isFilled = <A>(items: ReadonlyArray<A>): items is Arr.NonEmptyReadonlyArray<A> => items.length > 0

const pruned = (through: Position): JournalError =>
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
export class Follower {
  readonly #gate: Gate
  readonly #reader: Pick<JournalStore, "head" | "scan">
  readonly #wakes: Wakes
  readonly #watch: RcRef.RcRef<void, JournalError>

  private constructor(store: JournalStore, gate: Gate, watch: RcRef.RcRef<void, JournalError>, wakes: Wakes) {
    this.#gate = gate
    this.#reader = gate.reader(store)
    this.#watch = watch
    this.#wakes = wakes
  }

  static make(store: JournalStore, gate: Gate): Effect.Effect<Follower, never, Scope.Scope> {
    const wakes = new Wakes()
    return Effect.map(
      RcRef.make({ acquire: store.watch(wakes.wake) }),
      (watch) => new Follower(store, gate, watch, wakes),
    )
  }

  /** This process has appended, or the journal was closed: those who wait look again. */
  get wake(): () => void {
    return this.#wakes.wake
  }

  /** See `JournalService.tail`. */
  tail({ after = 0, filter }: TailOptions = {}): Stream.Stream<Entry, JournalError> {
    return Stream.fromChannel(
      Channel.fromTransform((_, scope) =>
        withNumbers({ after }, () =>
          Effect.as(
            // Before the first look: what comes between the two wakes it.
            this.#gate.guard(Scope.provide(RcRef.get(this.#watch), scope)),
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

    /** Looks once; answers with what is there, and remembers how far it looked. */
    const look: Effect.Effect<ReadonlyArray<Entry>, JournalError> = Effect.gen(function* () {
      // The head first: what a filter leaves out up to it was looked at too, and is not looked at again.
      const { position } = yield* reader.head
      if (position <= cursor) {
        promised = true
        return []
      }
      const until = position + 1
      const rows = yield* reader.scan({ after: cursor, before: until, filter, limit: batchRows, maxBytes: batchBytes })
      const next = rows[0]?.position
      // A row that follows at once says that nothing is gone. Asked after the scan: what is pruned meanwhile shows.
      if (next !== cursor + 1) {
        const first = (yield* firstOf(reader)) ?? until
        if (promised && first > cursor + 1) return yield* Effect.fail(pruned(first - 1))
        cursor = Math.max(cursor, Math.min(first, next ?? first) - 1)
      }
      const gap = filter === undefined && cursor < position ? gapIn(rows, cursor) : undefined
      if (gap !== undefined) return yield* Effect.fail(missing(gap))
      const entries = yield* entriesOf(rows)
      cursor = rows.at(-1)?.position ?? Math.max(cursor, position)
      promised = true
      return entries
    })

    const pull: Effect.Effect<Arr.NonEmptyReadonlyArray<Entry>, JournalError> = Effect.suspend(() => {
      const seen = wakes.count
      return Effect.flatMap(look, (entries) => {
        if (isFilled(entries)) return Effect.succeed(entries)
        // A filter may have left everything out: then there may be more already.
        return wakes.count > seen ? pull : Effect.andThen(wakes.beyond(seen), pull)
      })
    })
    return pull
  }
}
