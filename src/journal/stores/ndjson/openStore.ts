/**
 * Opening a journal in a file of this machine.
 *
 * Apart from `openNdjsonOn`, so that the declarations of the package name no type of a runtime.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { fsError } from "./fsError.ts"
import { openStoreWith } from "./openStoreWith.ts"
import type { NdjsonOptions } from "./options.ts"
import { loadHostSystem } from "./HostSystem.ts"

/** Opens a journal in a file; it is closed with the Scope. */
export const openStore = (options: NdjsonOptions): Effect.Effect<JournalStore, JournalError, Scope.Scope> =>
  Effect.flatMap(
    Effect.try({
      try: loadHostSystem,
      catch: (error) => fsError(error, { path: options.path, what: "was not opened" }),
    }),
    (system) => openStoreWith(system, options),
  )
