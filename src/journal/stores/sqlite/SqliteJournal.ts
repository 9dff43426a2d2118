/**
 * Opens a journal in a SQLite database, as an Effect or as a layer, with options or from `Config`; also exports
 * `openStore` and `repair`.
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
import type { SqliteOptions } from "./options.ts"
import { openStore } from "./SqliteStore.ts"

export type { SqliteOptions } from "./options.ts"
export { repair, type SqliteRepairOptions, type SqliteRepairReport } from "./repair.ts"
export { openStore } from "./SqliteStore.ts"

/** Options of a journal in a SQLite database. */
export interface SqliteJournalOptions extends SqliteOptions, JournalOptions {}

/**
 * Opens a journal in a SQLite database, and creates it if it is missing; closes it with its Scope.
 *
 * - A file that may not be written, or whose directory may not, is opened for reading.
 * - A file that is no journal, or of another layout, is left unchanged.
 * - A write waits for other writers, up to `lockTimeout`.
 *
 * Errors: `Invalid` for an option or a path that is no file, `Missing`, `ReadOnly`, `Locked`, `Full`, `Corrupt` for a file
 * that is no database, `TooNew`.
 */
export const make = (options: SqliteJournalOptions): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.flatMap(openStore(options), (store) => makeJournal(store, options))

/**
 * The layer of a journal in a SQLite database; its errors are those of {@link make}.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import { SqliteJournal } from "@sluice/shell/journal/sqlite"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const Journaling = SqliteJournal.layer({ path: join(mkdtempSync(join(tmpdir(), "notes-")), "journal.db") })
 *
 * const write = Journal.append([{ branch: "notes", correlationId: "n1", body: { _tag: "Noted", text: "hello" } }])
 * const read = Effect.flatMap(Journal, (journal) => journal.read())
 *
 * await Effect.runPromise(Effect.provide(write, Journaling))
 * // It was closed, and is opened again.
 * const [entry] = await Effect.runPromise(Effect.provide(read, Journaling))
 * console.log(entry?.position, entry?.body?.["text"]) // 1 hello
 * ```
 */
export const layer = (options: SqliteJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))

/**
 * The layer with options from `Config`. Default: `path` from `SLUICE_JOURNAL`.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import { SqliteJournal } from "@sluice/shell/journal/sqlite"
 * import { ConfigProvider, Effect, Layer } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const SLUICE_JOURNAL = join(mkdtempSync(join(tmpdir(), "notes-")), "journal.db")
 * const Configuration = ConfigProvider.layer(ConfigProvider.fromUnknown({ SLUICE_JOURNAL }))
 * const Journaling = SqliteJournal.layerConfig().pipe(Layer.provide(Configuration))
 *
 * const stats = Effect.flatMap(Journal, (journal) => journal.stats)
 * console.log((await Effect.runPromise(Effect.provide(stats, Journaling))).store) // sqlite
 * ```
 */
export const layerConfig = (
  config?: Config.Config<SqliteJournalOptions>,
): Layer.Layer<Journal, JournalError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(config ?? Config.all({ path: Config.String("SLUICE_JOURNAL") }), layer))
