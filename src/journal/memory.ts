/**
 * A journal in memory: for tests, for the edge, and for programs that want to look back a little.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Journal, type JournalService } from "./JournalService.ts"
import type { JournalError } from "./JournalError.ts"
import type { JournalStore } from "./JournalStore.ts"
import { makeJournal } from "./makeJournal.ts"
import { pruneStore } from "./prune.ts"
import { keptShare, makeMemoryStore } from "./stores/memory/MemoryStore.ts"
import { makeUnchainedJournal } from "./makeUnchainedJournal.ts"

/** Settings of a memory journal. */
export interface MemoryJournalOptions {
  /** The most entries that it holds; `Infinity` for no bound. Default: 100,000. */
  readonly maxEntries?: number | undefined
  /** The most memory that it takes, about; `Infinity` for no bound. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * What happens when it is full: the oldest quarter is pruned, or more if that is not enough, with a checkpoint; or the
   * append fails with `Full`. One that would not fit into an empty journal fails in any case, and nothing is pruned for
   * it. Default: `"prune"`.
   */
  readonly whenFull?: "prune" | "fail" | undefined
  /**
   * Whether entries are chained by hashes. Without, every hash is `noHash`, nothing can be verified (`verify` fails with
   * `Invalid`), bodies are kept as they were given and must not be changed afterwards, and an append costs a part of what
   * it costs else: for a journal that nobody outside this process relies on. Default: `true`.
   */
  readonly chained?: boolean | undefined
}

/** A store that makes room for what comes by pruning what is oldest: both happen, or neither. */
const rolling = (store: JournalStore): JournalStore => {
  const transact: JournalStore["transact"] = (durability, work) => {
    type Result = ReturnType<typeof work>
    const keeping = (entries: number): Result =>
      Effect.catchReason(
        store.transact(durability, (transaction) =>
          Effect.gen(function* () {
            yield* pruneStore(transaction, { keepEntries: entries, why: "the journal was full" })
            const [last] = yield* transaction.scan({ limit: 1, order: "backward", headersOnly: true })
            return yield* work(last === undefined ? transaction : { ...transaction, head: last })
          })),
        "JournalError",
        "Full",
        (_, error): Result => entries > 1 ? keeping(Math.floor(entries * keptShare)) : Effect.fail(error),
      )
    return Effect.catchReason(
      store.transact(durability, work),
      "JournalError",
      "Full",
      (): Result => Effect.flatMap(store.size, ({ entries }) => keeping(Math.floor(entries * keptShare))),
    )
  }
  return { ...store, transact }
}

/** Makes a memory journal. It is gone with its Scope. */
export const make = (
  options: MemoryJournalOptions = {},
): Effect.Effect<JournalService, JournalError, Scope.Scope> => {
  const { chained = true, maxBytes = 64 * 1024 * 1024, maxEntries = 100_000, whenFull = "prune" } = options
  if (!chained) return makeUnchainedJournal({ maxBytes, maxEntries }, whenFull)
  const store = makeMemoryStore({ maxBytes, maxEntries })
  return makeJournal(whenFull === "prune" ? rolling(store) : store)
}

/**
 * The layer of a memory journal. Entries are lost with the process: no other durability can be asked of it.
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const head = Effect.flatMap(Journal, (journal) => journal.head).pipe(Effect.provide(MemoryJournal.layer()))
 * console.assert((await Effect.runPromise(head)).position === 0)
 * ```
 */
export const layer = (options?: MemoryJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))
