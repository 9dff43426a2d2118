/**
 * Following a journal: what is there, then what comes.
 *
 * @module
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Channel from "effect/Channel"
import * as RcRef from "effect/RcRef"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { entryOfRow } from "./chain.ts"
import type { Entry, Filter, Position, Row } from "./Entry.ts"
import type { TailOptions } from "./JournalService.ts"
import { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { batchBytes, batchRows } from "./scanAll.ts"
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

/** Who follows a store: one watch on other processes for all who do, and none when nobody does. */
export class Follower {
  readonly #store: JournalStore
  readonly #wakes: Wakes
  readonly #watch: RcRef.RcRef<void, JournalError>

  private constructor(store: JournalStore, watch: RcRef.RcRef<void, JournalError>, wakes: Wakes) {
    this.#store = store
    this.#watch = watch
    this.#wakes = wakes
  }

  static make(store: JournalStore): Effect.Effect<Follower, never, Scope.Scope> {
    const wakes = new Wakes()
    return Effect.map(
      RcRef.make({ acquire: store.watch(wakes.wake) }),
      (watch) => new Follower(store, watch, wakes),
    )
  }

  /** This process has appended. */
  get wake(): () => void {
    return this.#wakes.wake
  }

  /** See `JournalService.tail`. */
  tail({ after = 0, filter }: TailOptions = {}): Stream.Stream<Entry, JournalError> {
    return Stream.fromChannel(
      Channel.fromTransform((_, scope) =>
        Effect.as(
          Scope.provide(RcRef.get(this.#watch), scope),
          this.#pull(after, filter),
        )
      ),
    )
  }

  #pull(after: Position, filter: Filter | undefined): Effect.Effect<Arr.NonEmptyReadonlyArray<Entry>, JournalError> {
    const store = this.#store
    const wakes = this.#wakes
    let cursor = after
    // Of what was pruned before it began nothing was promised to who reads from the very beginning; from then on it is.
    let started = after > 0

    /** Looks once; answers with what is there, and remembers how far it looked. */
    const look: Effect.Effect<ReadonlyArray<Entry>, JournalError> = Effect.gen(function* () {
      // The head first: what a filter leaves out up to it was looked at too, and is not looked at again.
      const { position } = yield* store.head
      if (position <= cursor) return []
      const rows = yield* store.scan({
        after: cursor,
        before: position + 1,
        filter,
        limit: batchRows,
        maxBytes: batchBytes,
      })
      if (started) {
        const first = filter === undefined ? rows[0]?.position ?? position + 1 : (yield* store.size).first
        if (first > cursor + 1) return yield* Effect.fail(pruned(first - 1))
      }
      const entries = yield* entriesOf(rows)
      cursor = rows.at(-1)?.position ?? position
      started = true
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
