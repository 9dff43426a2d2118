/** Defines the `Journal` service and the options of its operations. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Draft, Entry, Filter, Head, Position } from "./Entry.ts"
import type { JournalError } from "./JournalError.ts"
import type { Durability } from "./JournalStore.ts"
import type { PruneOptions, PruneReport } from "./PruneOptions.ts"
import type { Redactor } from "./redaction/Redactor.ts"
import type { VerifyOptions, VerifyReport } from "./verifyStore.ts"

/** A condition of an append: no entry after a position may match a filter. */
export interface AppendCondition {
  /** Exclusive: entries up to this position are ignored. */
  readonly after: Position
  /** Entries that must not exist. */
  readonly noneOf: Filter
}

/** Options of one append. */
export interface AppendOptions {
  /** Durability with which the append counts as done. Default: the journal's. */
  readonly durability?: Durability | undefined
  /**
   * Appends only if the condition holds; otherwise fails with `Conflict`, which has the position of a matching entry. It
   * is checked inside the write transaction: of several appends under one condition exactly one succeeds.
   */
  readonly condition?: AppendCondition | undefined
}

/** Options of {@link Journal.read}. */
export interface ReadOptions {
  /** Exclusive lower bound. Default: 0, the beginning. */
  readonly after?: Position | undefined
  /** Default: every entry. */
  readonly filter?: Filter | undefined
  /** Maximum number of entries returned. Default: 1,000. */
  readonly maxEntries?: number | undefined
}

/** Options of {@link Journal.readBackward}. */
export interface ReadBackwardOptions {
  /** Exclusive upper bound. Default: the end. */
  readonly before?: Position | undefined
  /** Default: every entry. */
  readonly filter?: Filter | undefined
  /** Maximum number of entries returned. Default: 1,000. */
  readonly maxEntries?: number | undefined
}

/** Options of {@link Journal.tail}. */
export interface TailOptions {
  /** Exclusive lower bound. Default: 0, the beginning. Use `(yield* Journal.head).position` for new entries only. */
  readonly after?: Position | undefined
  /** Default: every entry. */
  readonly filter?: Filter | undefined
}

/** Options of {@link Journal.waitFor}. */
export interface WaitOptions extends TailOptions {
  /** Tests an entry that passed the filter. Default: the first one matches. */
  readonly match?: ((entry: Entry) => boolean) | undefined
}

/** Size and location of a journal. */
export interface JournalStats {
  /** Number of entries. */
  readonly entries: number
  /** Approximate number of bytes in the medium. */
  readonly bytes: number
  /** The first position that was not removed; 0 when the journal is empty. */
  readonly first: Position
  /** The kind of store: `"memory"`, `"ndjson"`, `"sqlite"`, `"postgres"`. */
  readonly store: string
  /** A path or an address, without passwords. */
  readonly location: string
  /** The end of the journal. */
  readonly head: Head
}

/** The operations of a journal. Any of them fails with `Closed` after the journal's Scope was closed. */
export interface JournalService {
  /**
   * Appends entries, all or none, at consecutive positions. Returns the positions once the entries are as durable as
   * requested. Waits while the journal is behind: nothing is dropped, and nothing is queued without bound.
   */
  readonly append: (
    drafts: ReadonlyArray<Draft>,
    options?: AppendOptions,
  ) => Effect.Effect<ReadonlyArray<Position>, JournalError>
  /** Reads entries in order. */
  readonly read: (options?: ReadOptions) => Effect.Effect<ReadonlyArray<Entry>, JournalError>
  /** Reads entries in reverse order, newest first. */
  readonly readBackward: (options?: ReadBackwardOptions) => Effect.Effect<ReadonlyArray<Entry>, JournalError>
  /**
   * Streams the existing entries in order, then each new one, whichever process appends it, without gaps or duplicates.
   * The stream does not end. It fails with `Pruned` when its next entry was pruned, unless it starts from the beginning.
   */
  readonly tail: (options?: TailOptions) => Stream.Stream<Entry, JournalError>
  /** Waits for the first entry that matches. */
  readonly waitFor: (options: WaitOptions) => Effect.Effect<Entry, JournalError>
  /** The last position and its hash. */
  readonly head: Effect.Effect<Head, JournalError>
  /** Recomputes each hash; see {@link VerifyReport}. Fails with `Corrupt`, which names the first wrong position. */
  readonly verify: (options?: VerifyOptions) => Effect.Effect<VerifyReport, JournalError>
  /** Removes old entries, or the bodies of some, and appends a checkpoint that says so; see {@link PruneOptions}. */
  readonly prune: (options: PruneOptions) => Effect.Effect<PruneReport, JournalError>
  /** Size and location. */
  readonly stats: Effect.Effect<JournalStats, JournalError>
  /**
   * Removes text that must not be stored: journaled services (shells, files, spells, agents) apply it to everything that
   * they append, but not to the results for their callers. `append` itself stores entries unchanged, as do requests to
   * daemons and their answers, which travel through the journal. Default: removes nothing.
   */
  readonly redactor?: Redactor | undefined
  /**
   * The secrets that services have read by references, or sent as credentials, since the journal was opened. They are
   * removed as by {@link JournalService.redactor}, also where another service repeats them: in a prompt, a file, a
   * cached answer.
   */
  readonly remembered?: {
    /** Remembers a secret, so that it is removed from all later entries. */
    readonly add: (secret: { readonly value: string; readonly label?: string | undefined }) => void
    /** The redactor of all remembered secrets; `undefined` while there are none. */
    readonly redactor: Redactor | undefined
  } | undefined
}

const Base: Context.ServiceClass<Journal, "@sluice/shell/Journal", JournalService> = Context.Service<
  Journal,
  JournalService
>()("@sluice/shell/Journal")

/**
 * The journal service, and its operations as functions on the journal of the context.
 *
 * Positions strictly increase from 1, each entry is chained to the previous one by its hash, and an append returns once it
 * is as durable as requested. The layer decides where entries are kept.
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const [position] = yield* Journal.append([
 *     { branch: "notes", correlationId: "n1", body: { _tag: "Noted", text: "hello" } }
 *   ])
 *   const [entry] = yield* Journal.read({ filter: { correlationId: "n1" } })
 *   return position === 1 && entry?.body?.["text"] === "hello"
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))) // true
 * ```
 */
export class Journal extends Base {
  /**
   * The journal of the context with a redactor, so that journaled shells, files, spells and agents store none of the secrets
   * that it finds; see {@link JournalService.redactor}.
   *
   * @example
   * ```ts
   * import { Files, JournaledFileSystem, MemoryFileSystem } from "@sluice/shell/files"
   * import { Journal, MemoryJournal, Redactor } from "@sluice/shell/journal"
   * import { Effect, Layer } from "effect"
   *
   * const journal = Journal.redacting(Redactor.secrets([{ value: "hunter2" }])).pipe(Layer.provide(MemoryJournal.layer))
   * const layer = JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer), Layer.provideMerge(journal))
   * const program = Files.write(".env", "PASSWORD=hunter2\n").pipe(
   *   Effect.andThen(Effect.all([Files.readText(".env"), Journal.read()])),
   * )
   * const [text, entries] = await Effect.runPromise(Effect.provide(program, layer))
   * console.log(text.includes("hunter2") && !JSON.stringify(entries).includes(btoa(text))) // true
   * ```
   */
  static redacting(redactor: Redactor): Layer.Layer<Journal, never, Journal> {
    return Layer.effect(Journal, Effect.map(Journal, (journal) => ({ ...journal, redactor })))
  }

  /** {@link JournalService.append} on the journal of the context. */
  static append(
    drafts: ReadonlyArray<Draft>,
    options?: AppendOptions,
  ): Effect.Effect<ReadonlyArray<Position>, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.append(drafts, options))
  }

  /** {@link JournalService.read} on the journal of the context. */
  static read(options?: ReadOptions): Effect.Effect<ReadonlyArray<Entry>, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.read(options))
  }

  /**
   * {@link JournalService.readBackward} on the journal of the context.
   *
   * @example
   * ```ts
   * import { Journal, MemoryJournal } from "@sluice/shell/journal"
   * import { Effect } from "effect"
   *
   * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
   * const newest = Effect.andThen(Journal.append([draft, draft]), Journal.readBackward({ maxEntries: 1 }))
   * const [entry] = await Effect.runPromise(Effect.provide(newest, MemoryJournal.layer))
   * console.log(entry?.position) // 2
   * ```
   */
  static readBackward(options?: ReadBackwardOptions): Effect.Effect<ReadonlyArray<Entry>, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.readBackward(options))
  }

  /**
   * {@link JournalService.tail} on the journal of the context.
   *
   * @example
   * ```ts
   * import { Journal, MemoryJournal } from "@sluice/shell/journal"
   * import { Effect, Stream } from "effect"
   *
   * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
   * const first = Effect.andThen(Journal.append([draft]), Journal.tail().pipe(Stream.take(1), Stream.runCollect))
   * console.log((await Effect.runPromise(Effect.provide(first, MemoryJournal.layer))).length) // 1
   * ```
   */
  static tail(options?: TailOptions): Stream.Stream<Entry, JournalError, Journal> {
    return Stream.unwrap(Effect.map(Journal, (journal) => journal.tail(options)))
  }

  /**
   * {@link JournalService.waitFor} on the journal of the context.
   *
   * @example
   * ```ts
   * import { Journal, MemoryJournal } from "@sluice/shell/journal"
   * import { Effect } from "effect"
   *
   * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
   * const noted = Effect.andThen(Journal.append([draft]), Journal.waitFor({ filter: { tags: ["Noted"] } }))
   * console.log((await Effect.runPromise(Effect.provide(noted, MemoryJournal.layer))).position) // 1
   * ```
   */
  static waitFor(options: WaitOptions): Effect.Effect<Entry, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.waitFor(options))
  }

  /** {@link JournalService.head} on the journal of the context. */
  static get head(): Effect.Effect<Head, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.head)
  }

  /**
   * {@link JournalService.verify} on the journal of the context.
   *
   * @example
   * ```ts
   * import { Journal, MemoryJournal } from "@sluice/shell/journal"
   * import { Effect } from "effect"
   *
   * const report = await Effect.runPromise(Effect.provide(Journal.verify(), MemoryJournal.layer))
   * console.log(report.entries, report.expected) // 0 none
   * ```
   */
  static verify(options?: VerifyOptions): Effect.Effect<VerifyReport, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.verify(options))
  }

  /**
   * {@link JournalService.prune} on the journal of the context.
   *
   * @example
   * ```ts
   * import { Journal, MemoryJournal } from "@sluice/shell/journal"
   * import { Effect } from "effect"
   *
   * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
   * const pruned = Effect.andThen(Journal.append([draft, draft]), Journal.prune({ keepEntries: 1 }))
   * console.log((await Effect.runPromise(Effect.provide(pruned, MemoryJournal.layer))).removed) // 1
   * ```
   */
  static prune(options: PruneOptions): Effect.Effect<PruneReport, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.prune(options))
  }

  /** {@link JournalService.stats} on the journal of the context. */
  static get stats(): Effect.Effect<JournalStats, JournalError, Journal> {
    return Effect.flatMap(Journal, (journal) => journal.stats)
  }
}
