/**
 * Journals in a SQLite database: one file, written and read by any number of processes of one machine.
 *
 * It is `node:sqlite` on Deno, Bun and Node, with a write-ahead log: who reads never waits for who writes. What is
 * appended at the same time shares one transaction. Readers of other processes look for new entries every
 * `pollInterval`, while somebody waits for some.
 *
 * Durability: `memory` and `os` are one, the operating system has the entries when the append is answered
 * (`synchronous = NORMAL`); for `disk` the write-ahead log is flushed before (`FULL`). The file must be on a disk of this
 * machine: locks over a network are not to be trusted.
 *
 * A file that may not be written, or lies in a directory that may not, is opened for reading. The file is made for its
 * owner alone (mode 0600). It can be looked at with the sqlite3 program: `SELECT * FROM journal`. Deno needs permission
 * to read and write the directory of the file.
 *
 * What a prune removes is gone at once for who reads, and leaves the file in the background, which shrinks; what it
 * strips is overwritten before it answers.
 *
 * The chain is the only truth: `verify` compares indexes with entries, {@link repairSqlite} makes them again, and
 * {@link salvageSqlite} copies what can be read of a damaged file.
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
import type { SqliteOptions } from "./stores/sqlite/options.ts"
import { openSqlite } from "./stores/sqlite/SqliteStore.ts"

export type { SqliteOptions } from "./stores/sqlite/options.ts"
export { repairSqlite, type SqliteRepairReport } from "./stores/sqlite/repair.ts"
export { salvageSqlite } from "./stores/sqlite/salvage.ts"
export type { PositionRange, SalvageReport } from "./salvage.ts"
export { openSqlite } from "./stores/sqlite/SqliteStore.ts"

/** Settings of a journal in a SQLite database. */
export interface SqliteJournalOptions extends SqliteOptions, JournalOptions {}

/** Opens a journal in a SQLite database, and makes it if it is not there. It is closed with its Scope. */
export const make = (
  options: SqliteJournalOptions,
): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.flatMap(openSqlite(options), (store) => makeJournal(store, options))

/**
 * The layer of a journal in a SQLite database.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import * as SqliteJournal from "@sluice/shell/journal/sqlite"
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
 * console.assert(entry?.position === 1 && entry.body?.["text"] === "hello")
 * ```
 */
export const layer = (options: SqliteJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))

/** The layer with settings from `Config`. Default: the path of `SLUICE_JOURNAL`, and nothing else. */
export const layerConfig = (
  config?: Config.Config<SqliteJournalOptions>,
): Layer.Layer<Journal, JournalError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(config ?? Config.all({ path: Config.String("SLUICE_JOURNAL") }), layer))
