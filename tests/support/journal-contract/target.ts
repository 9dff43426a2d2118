/** Declares what the contract suite needs to know about a store, and helpers of its tests. */
import { it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type {
  Draft,
  Durability,
  Entry,
  JournalError,
  JournalOptions,
  JournalService,
  Position,
  TailOptions,
} from "@sluice/shell/journal"
import type { Row } from "../../../src/journal/Entry.ts"

/** What an intruder does to what is kept, past the journal: nothing is computed anew. */
export interface Tamper {
  /** Writes over fields of the row at a position. */
  readonly change: (position: Position, fields: Partial<Omit<Row, "position">>) => Effect.Effect<void, unknown>
  /** Takes the row at a position out. */
  readonly remove: (position: Position) => Effect.Effect<void, unknown>
  /** Lets the rows of two positions change places: each keeps all that it says but its position. */
  readonly swap: (one: Position, other: Position) => Effect.Effect<void, unknown>
}

/** Where one journal is kept. */
export interface JournalPlace {
  /**
   * Opens the journal of this place, and makes it if it is not there. One that is not durable is a new one each time;
   * one that is is never opened twice at once, unless several processes may.
   */
  readonly open: (options?: JournalOptions) => Effect.Effect<JournalService, JournalError, Scope.Scope>
  /** Missing where tampering is impossible. No journal of a durable place is open meanwhile. */
  readonly tamper?: Tamper | undefined
}

/** What a store can do. What it cannot is not tested, and no title claims it. */
export interface JournalFlags {
  /** What was appended is there when the place is opened again. */
  readonly durable: boolean
  /** Several may have the place open at once, as several processes do; one sees what the other appends. */
  readonly processes: boolean
  /** Levels that may be asked for, the lowest first. */
  readonly durabilities: ReadonlyArray<Durability>
  /** Entries are chained by hashes. Default: `true`. */
  readonly chained?: boolean | undefined
}

export interface JournalTarget {
  /** A place for this test alone; the Scope removes it. */
  readonly place: Effect.Effect<JournalPlace, unknown, Scope.Scope>
  readonly can: JournalFlags
}

/** One promise of the contract, kept in real time. */
export type Test = (
  title: string,
  promise: (place: JournalPlace) => Effect.Effect<unknown, unknown, Scope.Scope>,
) => void

/** A part of the contract. */
export type Part = (test: Test, target: JournalTarget) => void

export const testOf = (target: JournalTarget): Test => (title, promise) =>
  it.live(title, () => Effect.flatMap(target.place, promise))

/** A draft of the tests' own branch. */
export const note = (correlationId: string, text = "", tag = "Noted", branch = "notes"): Draft => ({
  branch,
  correlationId,
  body: { _tag: tag, text },
})

/** So many notes: `1`, `2`, … */
export const notes = (count: number, correlationId = "n"): ReadonlyArray<Draft> =>
  Array.from({ length: count }, (_, index) => note(correlationId, String(index + 1)))

/** Appends each draft for itself, one after the other. */
export const appendEach = (journal: JournalService, drafts: Iterable<Draft>): Effect.Effect<void, JournalError> =>
  Effect.forEach(drafts, (draft) => journal.append([draft]), { discard: true })

/** The whole numbers from one to another, both included. */
export const upTo = (to: number, from = 1): Array<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

export const positionsOf = (entries: ReadonlyArray<Entry>): Array<Position> => entries.map((entry) => entry.position)

/** The texts of notes. */
export const textsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<unknown> =>
  entries.map((entry) => entry.body?.["text"])

/** The first so many entries of a tail. */
export const tailed = (
  journal: JournalService,
  count: number,
  options?: TailOptions,
): Effect.Effect<Array<Entry>, JournalError> => Stream.runCollect(Stream.take(journal.tail(options), count))

/** Every entry, however many they are. */
export const everything = (journal: JournalService): Effect.Effect<ReadonlyArray<Entry>, JournalError> =>
  journal.read({ maxEntries: 1_000_000 })

/** Why something failed; a defect when it did not. */
export const reasonOf = <A, R>(
  effect: Effect.Effect<A, JournalError, R>,
): Effect.Effect<JournalError["reason"], never, R> =>
  Effect.matchEffect(effect, {
    onFailure: (error) => Effect.succeed(error.reason),
    onSuccess: () => Effect.die(new Error("it did not fail")),
  })

/** The journal of a place, closed again when the work is done. */
export const during = <A, E, R>(
  place: JournalPlace,
  work: (journal: JournalService) => Effect.Effect<A, E, R>,
  options?: JournalOptions,
): Effect.Effect<A, E | JournalError, Exclude<R, Scope.Scope>> =>
  Effect.scoped(Effect.flatMap(place.open(options), work))

/** Runs with a wall clock that is ahead, by so many milliseconds; what sleeps, sleeps in real time. */
export const later = (millis: number) => <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Clock.clockWith((clock) => {
    const now = (): number => clock.currentTimeMillisUnsafe() + millis
    return Effect.provideService(effect, Clock.Clock, {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanosUnsafe: () => BigInt(now()) * 1_000_000n,
      currentTimeNanos: Effect.sync(() => BigInt(now()) * 1_000_000n),
      monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: clock.monotonicTimeNanos,
      sleep: (duration) => clock.sleep(duration),
    })
  })
