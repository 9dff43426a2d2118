/**
 * Opens an NDJSON journal with the functions of this host, as a `JournalStore`.
 *
 * Apart from `openStoreWith`, so that the package's declarations name no type of a runtime.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { attemptFile } from "./fsError.ts"
import { loadHostSystem } from "./HostSystem.ts"
import { openStoreWith } from "./openStoreWith.ts"
import type { NdjsonOptions } from "./options.ts"

/**
 * Opens the store of an NDJSON journal, for `makeJournal` or as the target of a salvage; closes it with its Scope.
 *
 * Errors: see `NdjsonJournal.make`.
 *
 * @example
 * ```ts
 * import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "store-")), "journal.ndjson")
 * const name = Effect.map(NdjsonJournal.openStore({ path }), (store) => store.name)
 * console.log(await Effect.runPromise(Effect.scoped(name))) // ndjson
 * ```
 *
 * @stability experimental
 */
export const openStore = (options: NdjsonOptions): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.flatMap(
    attemptFile({ path: "the file", what: "was not opened" }, loadHostSystem),
    (system) => openStoreWith(system, options),
  )
