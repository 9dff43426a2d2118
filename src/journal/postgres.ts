/**
 * Journals in PostgreSQL: one that several machines write and read.
 *
 * Positions have no gaps, and who follows sees them in order, however many write: each transaction locks the row that
 * says where the journal ends. Readers are woken by `NOTIFY`, and look once a second in case one was lost. A store has
 * one connection to write, up to two to read, and one to listen while somebody follows.
 *
 * While the server is away, appends and reads wait and try again; when it went away at a commit, the journal itself is
 * asked whether the entries are in it, so that nothing is lost and nothing is there twice.
 *
 * Durability: for `memory` the server answers before its log is on disk (`synchronous_commit = off`), and a crash of the
 * server may lose the last half second, though never what lies before it. PostgreSQL has nothing between that and the
 * disk, so `os` is `disk`: the log is flushed before the answer. A server that runs with `fsync = off` cannot be asked
 * for `disk`. Replicas are the server's business: where `synchronous_commit` asks for them, an answer waits for them.
 *
 * The database must be UTF8, and a pooler between must keep sessions together. The tables are made by whoever comes
 * first; they are `journal_entry`, `journal_head` and `journal_migration` in a schema that is one journal.
 *
 * @module
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Journal, type JournalService } from "./JournalService.ts"
import type { JournalError } from "./JournalError.ts"
import { type JournalOptions, makeJournal } from "./makeJournal.ts"
import type { PostgresOptions } from "./stores/postgres/options.ts"
import { openPostgres } from "./stores/postgres/PostgresStore.ts"

export type { PostgresOptions } from "./stores/postgres/options.ts"
export { openPostgres } from "./stores/postgres/PostgresStore.ts"

/** Settings of a journal in PostgreSQL. */
export interface PostgresJournalOptions extends PostgresOptions, JournalOptions {}

/** Opens a journal in PostgreSQL, and makes it if it is not there. It is closed with its Scope. */
export const make = (
  options: PostgresJournalOptions,
): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.flatMap(openPostgres(options), (store) => makeJournal(store, options))

/**
 * The layer of a journal in PostgreSQL.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import * as PostgresJournal from "@sluice/shell/journal/postgres"
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
 * console.assert(error.reason._tag === "Unavailable" && !error.message.includes("secret"))
 * ```
 */
export const layer = (options: PostgresJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))

/** The layer with settings from `Config`. Default: the URL of `SLUICE_JOURNAL`, and nothing else. */
export const layerConfig = (
  config?: Config.Config<PostgresJournalOptions>,
): Layer.Layer<Journal, JournalError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(config ?? Config.all({ url: Config.Redacted("SLUICE_JOURNAL") }), layer))
