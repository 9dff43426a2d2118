/**
 * Opens a journal in a file of JSON lines, as an Effect or as a layer, with options or from `Config`; also exports
 * `openStore`.
 *
 * @module
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { JournalError } from "../../JournalError.ts"
import { Journal, type JournalService } from "../../JournalService.ts"
import { type JournalOptions, makeJournal } from "../../makeJournal.ts"
import { openStore } from "./openStore.ts"
import type { NdjsonOptions } from "./options.ts"

export { openStore } from "./openStore.ts"
export type { NdjsonOptions, NdjsonRepairReport } from "./options.ts"

/** Options of a journal in a file of JSON lines. */
export interface NdjsonJournalOptions extends NdjsonOptions, JournalOptions {}

/**
 * Opens a journal in a file of JSON lines, and creates it if it is missing; closes it with its Scope.
 *
 * Errors: `Invalid` for an option, `Locked` while another process writes it, `Missing`, `ReadOnly`, `Full`, `Corrupt` for
 * a file that is no journal, `TooNew` for one that a later version wrote.
 */
export const make = (options: NdjsonJournalOptions): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.flatMap(openStore(options), (store) => makeJournal(store, options))

/**
 * The layer of a journal in a file of JSON lines; its errors are those of {@link make}.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
 * import { Effect } from "effect"
 * import { mkdtempSync, readFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "journal-")), "journal.ndjson")
 * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted", text: "hello" } }
 * await Effect.runPromise(Effect.provide(Journal.append([draft]), NdjsonJournal.layer({ path })))
 *
 * const [, line = ""] = readFileSync(path, "utf8").split("\n")
 * console.log(JSON.parse(line).position, JSON.parse(line).body.text) // 1 hello
 * ```
 */
export const layer = (options: NdjsonJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))

/**
 * The layer with options from `Config`. Default: `path` from `SLUICE_JOURNAL`.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import { NdjsonJournal } from "@sluice/shell/journal/ndjson"
 * import { ConfigProvider, Effect, Layer } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const SLUICE_JOURNAL = join(mkdtempSync(join(tmpdir(), "notes-")), "journal.ndjson")
 * const Configuration = ConfigProvider.layer(ConfigProvider.fromUnknown({ SLUICE_JOURNAL }))
 * const Journaling = NdjsonJournal.layerConfig().pipe(Layer.provide(Configuration))
 *
 * const stats = Effect.flatMap(Journal, (journal) => journal.stats)
 * console.log((await Effect.runPromise(Effect.provide(stats, Journaling))).store) // ndjson
 * ```
 */
export const layerConfig = (
  config?: Config.Config<NdjsonJournalOptions>,
): Layer.Layer<Journal, JournalError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(config ?? Config.all({ path: Config.String("SLUICE_JOURNAL") }), layer))
