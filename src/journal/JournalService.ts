/**
 * The Journal service: an append-only log of entries that several branches, processes and machines share.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Draft, Entry, Filter, Head, Position } from "./Entry.ts"
import type { JournalError } from "./JournalError.ts"
import type { Durability, StoreSize } from "./JournalStore.ts"
import type { PruneOptions, PruneReport } from "./PruneOptions.ts"
import type { VerifyOptions, VerifyReport } from "./verify.ts"

/** Entries that must not be there for an append to take place. */
export interface AppendCondition {
  /** Exclusive: entries up to this one do not count. */
  readonly after: Position
  /** Which entries must not be there. */
  readonly noneOf: Filter
}

/** Settings of one append. */
export interface AppendOptions {
  /** When it counts as done. Default: the journal's. */
  readonly durability?: Durability | undefined
  /**
   * Appends only if no entry after a position is meant by the filter; else the error is `Conflict` with the position of
   * one. It is checked where the write happens, so of several who append under the same condition one succeeds.
   */
  readonly condition?: AppendCondition | undefined
}

/** Which entries to read. */
export interface ReadOptions {
  /** Exclusive. Default: 0, from the beginning. */
  readonly after?: Position | undefined
  readonly filter?: Filter | undefined
  /** The most that come back. Default: 1,000. */
  readonly limit?: number | undefined
}

/** Which entries to read, newest first. */
export interface ReadBackwardOptions {
  /** Exclusive. Default: from the end. */
  readonly before?: Position | undefined
  readonly filter?: Filter | undefined
  /** The most that come back. Default: 1,000. */
  readonly limit?: number | undefined
}

/** Which entries to follow. */
export interface TailOptions {
  /** Exclusive. Default: 0, from the beginning. Give `(yield* journal.head).position` for what comes from now on. */
  readonly after?: Position | undefined
  readonly filter?: Filter | undefined
}

/** Which entry to wait for. */
export interface WaitOptions extends TailOptions {
  /** Whether it is the one. Default: any that the filter means. */
  readonly match?: ((entry: Entry) => boolean) | undefined
}

/** What a journal is, in figures. */
export interface JournalStats extends StoreSize {
  /** Which store: `"memory"`, `"ndjson"`, `"sqlite"`, `"postgres"`. */
  readonly store: string
  /** Where it is, without passwords. */
  readonly location: string
  readonly head: Head
}

/** What a journal gives. */
export interface JournalService {
  /**
   * Appends entries, all or none, one after the other without others between them. Answers with their positions once
   * they are as durable as asked. Waits while the journal is behind: nothing is dropped, nothing piles up.
   */
  readonly append: (
    drafts: ReadonlyArray<Draft>,
    options?: AppendOptions,
  ) => Effect.Effect<ReadonlyArray<Position>, JournalError>
  /** Entries in order. */
  readonly read: (options?: ReadOptions) => Effect.Effect<ReadonlyArray<Entry>, JournalError>
  /** Entries in the opposite order, newest first. */
  readonly readBackward: (options?: ReadBackwardOptions) => Effect.Effect<ReadonlyArray<Entry>, JournalError>
  /**
   * Entries in order, those that are there and then those that come, from any process; it never ends, never misses one
   * and never repeats one. Behind what was pruned the error is `Pruned`, unless it starts from the beginning; when the
   * journal is closed before it, the error is `Closed`.
   */
  readonly tail: (options?: TailOptions) => Stream.Stream<Entry, JournalError>
  /** The first entry that matches, when it is there. */
  readonly waitFor: (options: WaitOptions) => Effect.Effect<Entry, JournalError>
  /** Where the journal ends. */
  readonly head: Effect.Effect<Head, JournalError>
  /** Computes every hash again: see {@link VerifyReport}. The error names the first position that does not hold. */
  readonly verify: (options?: VerifyOptions) => Effect.Effect<VerifyReport, JournalError>
  /** Removes old entries, or the contents of some, and signs that off in an entry: see {@link PruneOptions}. */
  readonly prune: (options: PruneOptions) => Effect.Effect<PruneReport, JournalError>
  readonly stats: Effect.Effect<JournalStats, JournalError>
}

const Base: Context.ServiceClass<Journal, "@sluice/shell/Journal", JournalService> = Context.Service<
  Journal,
  JournalService
>()("@sluice/shell/Journal")

/**
 * An append-only log: positions strictly increase from 1, each entry is chained to the one before it by its hash, and an
 * append that was answered is as durable as was asked. Where it is kept is the layer's business.
 *
 * Source: Compute Branch, "Why a Branch?".
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const journal = yield* Journal
 *   const [position] = yield* journal.append([
 *     { branch: "notes", correlationId: "n1", body: { _tag: "Noted", text: "hello" } }
 *   ])
 *   const [entry] = yield* journal.read({ filter: { correlationId: "n1" } })
 *   return position === 1 && entry?.body?.["text"] === "hello"
 * })
 * console.assert(await Effect.runPromise(Effect.provide(program, MemoryJournal.layer())))
 * ```
 */
export class Journal extends Base {
  /** {@link JournalService.append} on the journal of the context. */
  static append(
    drafts: ReadonlyArray<Draft>,
    options?: AppendOptions,
  ): Effect.Effect<ReadonlyArray<Position>, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.append(drafts, options))
  }

  /** {@link JournalService.tail} on the journal of the context. */
  static tail(options?: TailOptions): Stream.Stream<Entry, JournalError, Journal> {
    return Stream.unwrap(Effect.map(Journal, (journal) => journal.tail(options)))
  }
}
