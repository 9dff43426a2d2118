/**
 * Opens a journal in a PostgreSQL database, as an Effect or as a layer, with options or from `Config`; also exports
 * `openStore`.
 *
 * @module
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Journal, type JournalService } from "../../JournalService.ts"
import type { JournalError } from "../../JournalError.ts"
import { type JournalOptions, makeJournal } from "../../makeJournal.ts"
import type { PostgresOptions } from "./options.ts"
import { openStore } from "./PostgresStore.ts"

export type { PostgresOptions } from "./options.ts"
export { openStore } from "./PostgresStore.ts"

/** Options of a journal in a PostgreSQL database. */
export interface PostgresJournalOptions extends PostgresOptions, JournalOptions {}

/**
 * Opens a journal in a PostgreSQL database, and creates its tables if they are missing; closes it with its Scope.
 *
 * Errors: `Invalid` for an option, `Unavailable`, `Missing`, `ReadOnly`, `TooNew`, `Failed` for a refusal of the server,
 * such as a wrong password.
 */
export const make = (options: PostgresJournalOptions): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.flatMap(openStore(options), (store) => makeJournal(store, options))

/**
 * The layer of a journal in a PostgreSQL database; its errors are those of {@link make}.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import { PostgresJournal } from "@sluice/shell/journal/postgres"
 * import { Effect, Redacted } from "effect"
 *
 * const Journaling = PostgresJournal.layer({
 *   url: Redacted.make("postgres://sluice:secret@localhost:1/journals"),
 *   schema: "builds",
 *   reconnectTimeout: 0
 * })
 *
 * const head = Effect.flatMap(Journal, (journal) => journal.head)
 *
 * // No server listens at port 1, and the password is in no message.
 * const error = await Effect.runPromise(Effect.flip(Effect.provide(head, Journaling)))
 * console.log(error.reason._tag === "Unavailable" && !error.message.includes("secret")) // true
 * ```
 */
export const layer = (options: PostgresJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))

/**
 * The layer with options from `Config`. Default: `url` from `SLUICE_JOURNAL`.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import { PostgresJournal } from "@sluice/shell/journal/postgres"
 * import { Config, Effect } from "effect"
 *
 * const options = Config.succeed({ host: "localhost", port: 1, username: "sluice", reconnectTimeout: 0 })
 * const Journaling = PostgresJournal.layerConfig(options)
 * const head = Effect.flatMap(Journal, (journal) => journal.head)
 * const error = await Effect.runPromise(Effect.flip(Effect.provide(head, Journaling))) // no server listens at port 1
 * console.log(error._tag) // JournalError
 * ```
 */
export const layerConfig = (
  config?: Config.Config<PostgresJournalOptions>,
): Layer.Layer<Journal, JournalError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(config ?? Config.all({ url: Config.Redacted("SLUICE_JOURNAL") }), layer))
