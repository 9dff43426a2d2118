/**
 * Makes a journal in memory, as an Effect or as a layer, with or without a hash chain, which prunes its oldest entries
 * or refuses appends when it is full.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { canonicalJson } from "../../../base/canonicalJson.ts"
import type { EncodeBody } from "../../entryCodec.ts"
import { JournalError } from "../../JournalError.ts"
import { Journal, type JournalService } from "../../JournalService.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { makeJournalWith } from "../../makeJournal.ts"
import { pruneStore } from "../../prune.ts"
import { measureBody } from "../../UnchainedRow.ts"
import * as StoreOption from "../storeOptions.ts"
import { makeMemoryStore, shareAfterPrune } from "./MemoryStore.ts"

/** Options of a memory journal. */
export interface MemoryJournalOptions {
  /** Maximum number of entries; `Infinity` for no bound. Default: 100,000. */
  readonly maxEntries?: number | undefined
  /** Approximate maximum size in bytes; `Infinity` for no bound. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
  /**
   * The behavior when the journal is full. `"prune"` removes the oldest quarter, or more if that is not enough, and
   * appends a checkpoint. `"fail"` fails the append with `Full`. An append that would not fit into an empty journal
   * always fails, without pruning anything. Default: `"prune"`.
   */
  readonly whenFull?: "prune" | "fail" | undefined
  /**
   * Whether entries are chained by hashes. Without hashes each hash is `noHash`, `verify` fails with `Invalid`, bodies
   * are kept by reference and must not be changed after the append, and an append takes about half the CPU time. Use it
   * for a journal that only this process relies on. Default: `true`.
   */
  readonly chained?: boolean | undefined
}

/** A store that prunes the oldest entries to make room: the prune and the append are one transaction. */
const withPruning = (store: JournalStore, encodeBody: EncodeBody): JournalStore => {
  const transact: JournalStore["transact"] = (durability, work) => {
    type Result = ReturnType<typeof work>
    const keeping = (entries: number): Result =>
      Effect.catchReason(
        store.transact(durability, (transaction) =>
          Effect.gen(function* () {
            yield* pruneStore(transaction, { keepEntries: entries, why: "the journal was full" }, encodeBody)
            const [last] = yield* transaction.scan({ maxRows: 1, order: "backward", headersOnly: true })
            return yield* work(last === undefined ? transaction : { ...transaction, head: last })
          })),
        "JournalError",
        "Full",
        (_, error): Result => entries > 1 ? keeping(Math.floor(entries * shareAfterPrune)) : Effect.fail(error),
      )
    return Effect.catchReason(
      store.transact(durability, work),
      "JournalError",
      "Full",
      (): Result => Effect.flatMap(store.size, ({ entries }) => keeping(Math.floor(entries * shareAfterPrune))),
    )
  }
  return { ...store, transact }
}

const checks: StoreOption.OptionChecks<MemoryJournalOptions> = {
  maxEntries: StoreOption.bound,
  maxBytes: StoreOption.bound,
  whenFull: StoreOption.choice("prune", "fail"),
  chained: StoreOption.flag,
}

const unverifiableError = JournalError.because(
  { _tag: "Invalid", field: "chained" },
  "journal: nothing was verified: this journal keeps no hashes (chained: false)",
)

const unverifiable = (journal: JournalService): JournalService => ({
  ...journal,
  // A closed journal fails as closed.
  verify: () => Effect.andThen(journal.head, Effect.fail(unverifiableError)),
})

/**
 * Makes a memory journal, which ends with its Scope. Fails with `Invalid` for an unknown option and for a bound that is not a
 * number above 0.
 */
export const make = (
  options: MemoryJournalOptions = {},
): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const { chained, encodeBody, store, whenFull } = yield* StoreOption.resolveStoreOptions(
      "MemoryJournal",
      options,
      checks,
      ({ chained = true, maxBytes = 64 * 1024 * 1024, maxEntries = 100_000, whenFull = "prune" }) => ({
        chained,
        whenFull,
        encodeBody: chained ? canonicalJson : measureBody,
        store: makeMemoryStore({ maxBytes, maxEntries }),
      }),
    )
    const full = whenFull === "prune" ? withPruning(store, encodeBody) : store
    const journal = yield* makeJournalWith(full, {}, encodeBody)
    return chained ? journal : unverifiable(journal)
  })

/** The layer of a memory journal with options; its errors are those of {@link make}. */
export const layerWith = (options: MemoryJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))

/**
 * The layer of a memory journal with default options. Entries are lost when the process ends: `"memory"` is the only
 * durability.
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const { position } = await Effect.runPromise(Effect.provide(Journal.head, MemoryJournal.layer))
 * console.log(position) // 0
 * ```
 */
export const layer: Layer.Layer<Journal> = Layer.effect(Journal, Effect.orDie(make()))
