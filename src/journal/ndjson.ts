/**
 * Journals in a file of JSON lines: one that people read with `jq`, `grep` and `tail -f`.
 *
 * The first line says that it is a journal; each further one is an entry: `position`, `time`, `branch`, `correlationId`,
 * `tag`, `version`, `hash`, and last `body`, which is `null` when it was pruned. Several that were appended together
 * have `"more":true`, all but the last. Lines are only ever added; pruning writes a new file, for which there must
 * be room, and puts it in the old one's place.
 *
 * One process writes it at a time, and any number read beside it (`mode: "read"`). `FILE.lock` names the writer; one
 * that died is replaced by the next, who is told apart by pid, start time of the process, and boot. What another host
 * holds, or another pid namespace, is never taken over, as it cannot be seen from here whether it still runs: remove the
 * lock by hand. Hosts that share a file over a network must have different names. Readers there are late by the poll
 * interval, as no system tells of what another machine does; and the network file system must take `link(2)` for one
 * step (NFS does). A local disk, or a database, is the better place.
 *
 * What a crash leaves of a transaction at the end of the file is not shown, and is cut by the next writer: the cut is
 * logged, told to `onRepair`, and kept in `FILE.torn-TIME`. A line that is damaged elsewhere is `Corrupt`, and never
 * cut. When the disk is full the append fails with `Full`, the file stays whole, and it goes on when there is room again.
 * A file that was moved, removed, or written by somebody else is noticed within a quarter of a second.
 *
 * Durability: `memory` is this process's own buffer, written within 10 ms or when the next entries are, and when it is
 * closed; `os` when `write(2)` has returned; `disk` when `fdatasync(2)` has. A disk that confirms within two
 * milliseconds is waited for at once, a slower one beside the event loop. When the disk fails to confirm, what was written
 * is taken back and nothing more is until the journal is opened again, as no one knows then what is on the disk. Readers
 * in other processes see an entry from `os` on.
 *
 * A position is found by bisection. A read with a filter (correlation id, branch, tags) has no index: it passes over every
 * line between `after` and `before`. In 5 million entries (2 GB) finding a command by its id takes 1.6 s while the file is
 * in the page cache, and 6 to 9 s from a disk that reads 220 to 330 MB/s, each time. Where commands are looked up often
 * among more than some hundred thousand entries, use `@sluice/shell/journal/sqlite`, which has indexes.
 *
 * @module
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { JournalError } from "./JournalError.ts"
import { Journal, type JournalService } from "./JournalService.ts"
import { type JournalOptions, makeJournal } from "./makeJournal.ts"
import { openNdjson } from "./stores/ndjson/openNdjson.ts"
import type { NdjsonOptions } from "./stores/ndjson/options.ts"

export { openNdjson } from "./stores/ndjson/openNdjson.ts"
export type { NdjsonOptions } from "./stores/ndjson/options.ts"
export type { RepairReport } from "./stores/ndjson/options.ts"
export { salvageNdjson } from "./stores/ndjson/salvage.ts"
export type { PositionRange, SalvageReport } from "./salvage.ts"

/** Settings of a journal in a file of JSON lines. */
export interface NdjsonJournalOptions extends NdjsonOptions, JournalOptions {}

/**
 * Opens a journal in a file of JSON lines, and makes it if it is not there. It is closed with its Scope.
 *
 * Errors: `Locked` when another process writes it, `Missing`, `ReadOnly`, `Full`, `Corrupt` when it is no journal,
 * `TooNew` when a later version wrote it.
 */
export const make = (options: NdjsonJournalOptions): Effect.Effect<JournalService, JournalError, Scope.Scope> =>
  Effect.flatMap(openNdjson(options), (store) => makeJournal(store, options))

/**
 * The layer of a journal in a file of JSON lines.
 *
 * @example
 * ```ts
 * import { Journal } from "@sluice/shell/journal"
 * import * as NdjsonJournal from "@sluice/shell/journal/ndjson"
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
 * console.assert(JSON.parse(line).position === 1 && JSON.parse(line).body.text === "hello")
 * ```
 */
export const layer = (options: NdjsonJournalOptions): Layer.Layer<Journal, JournalError> =>
  Layer.effect(Journal, make(options))

/** The layer with settings from `Config`. Default: the path of `SLUICE_JOURNAL`, and nothing else. */
export const layerConfig = (
  config?: Config.Config<NdjsonJournalOptions>,
): Layer.Layer<Journal, JournalError | Config.ConfigError> =>
  Layer.unwrap(Effect.map(config ?? Config.all({ path: Config.String("SLUICE_JOURNAL") }), layer))
