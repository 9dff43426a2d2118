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
import { makeMemoryStore } from "./stores/memory/MemoryStore.ts"

/** Settings of a memory journal. */
export interface MemoryJournalOptions {
  /** The most entries that it holds; `Infinity` for no bound. Default: 100,000. */
  readonly maxEntries?: number | undefined
  /** The most memory that it takes, about; `Infinity` for no bound. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * What happens when it is full: the oldest quarter is pruned, with a checkpoint, or the append fails with `Full`.
   * Default: `"prune"`.
   */
  readonly whenFull?: "prune" | "fail" | undefined
}

/** A store that makes room for what comes by pruning what is oldest. */
const rolling = (store: JournalStore): JournalStore => ({
  ...store,
  transact: (durability, work) =>
    Effect.catchReason(store.transact(durability, work), "JournalError", "Full", (_, error) =>
      Effect.gen(function* () {
        const { bytes, entries } = yield* store.size
        if (entries < 2) return yield* Effect.fail(error)
        const options = {
          keepEntries: Math.ceil(entries * 0.75) - 1,
          keepBytes: bytes * 0.75,
          why: "the journal was full",
        }
        yield* store.transact(durability, (transaction) => pruneStore(transaction, options))
        return yield* store.transact(durability, work)
      })),
})

/** Makes a memory journal. It is gone with its Scope. */
export const make = (
  options: MemoryJournalOptions = {},
): Effect.Effect<JournalService, JournalError, Scope.Scope> => {
  const { maxBytes = 64 * 1024 * 1024, maxEntries = 100_000, whenFull = "prune" } = options
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
