/** Computes the entries that a prune of a journal would remove, without writing. */
import * as Effect from "effect/Effect"
import { canonicalJson } from "../base/canonicalJson.ts"
import type { Entry, Row } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import type { Scan, StoreTransaction } from "../journal/JournalStore.ts"
import { pruneStore } from "../journal/prune.ts"
import type { PruneOptions, PruneReport } from "../journal/PruneOptions.ts"

/** Entries in one read; each may have 64 KiB of output. */
const pageSize = 32

const rowOf = (entry: Entry): Row => ({ ...entry, body: entry.body === undefined ? "" : canonicalJson(entry.body) })

const scanJournal = (journal: JournalService, scan: Scan): Effect.Effect<ReadonlyArray<Row>, JournalError> => {
  const { after = 0, before = Infinity, filter, order } = scan
  const maxEntries = Math.min(scan.maxRows, pageSize)
  const read = order === "backward"
    ? journal.readBackward({ filter, maxEntries, ...(before === Infinity ? undefined : { before }) })
    : journal.read({ after, filter, maxEntries })
  return Effect.map(
    read,
    (entries) => entries.filter(({ position }) => after < position && position < before).map(rowOf),
  )
}

/**
 * Computes the report of {@link JournalService.prune} for the journal of the context. Writes nothing.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"], { commandId: "c1" }))
 *   return yield* Audit.planPrune({ keepEntries: 1 })
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const { checkpoints, removed } = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(removed > 0 && checkpoints.length) // 0
 * ```
 */
export const planPrune = (options: PruneOptions): Effect.Effect<PruneReport, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const transaction: StoreTransaction = {
      head: yield* journal.head,
      scan: (scan) => scanJournal(journal, scan),
      insert: () => Effect.void,
      removeThrough: () => Effect.void,
      strip: () => Effect.void,
    }
    return { ...yield* pruneStore(transaction, options), checkpoints: [] }
  })
