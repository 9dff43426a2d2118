/**
 * Copies the entries of a damaged SQLite journal, found through its table or on its single pages, to new positions in a
 * new hash chain of an empty store, with a report entry; reads a temporary copy of the file.
 *
 * The source is copied first: it is not written, and SQLite does not open it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { checkpointTag, journalBranch } from "../../checkpoint.ts"
import type { Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { type SalvagedItem, salvageInto, type SalvageReport } from "../../salvage.ts"
import { Connection } from "./Connection.ts"
import { isCorrupt, notADatabase, toJournalError } from "./errors.ts"
import { checkPath, ensureFile, rollbackJournalPath, walPath } from "./file.ts"
import type { Cells } from "../../../base/nodeSqlite.ts"
import { type Builtins, loadBuiltins } from "./loadBuiltins.ts"
import { PageReader } from "./PageReader.ts"
import { entriesQuery, readBody, resolveText, rowOf } from "./scan.ts"
import { prunedThrough } from "./schema.ts"
import { TextFolder } from "./TextFolder.ts"
import * as StoreOption from "../storeOptions.ts"

/** Rows of one query, with bodies of up to 4 KiB. */
const batchRows = 64

/** Reads at most `limit` entries from a position on; throws SQLite's errors. */
const readFrom = (connection: Connection, from: Position, limit: number): ReadonlyArray<Cells> =>
  connection.rows(entriesQuery("forward", true, ""), from, Number.MAX_SAFE_INTEGER, limit)

/** Runs a read; `undefined` where the file is damaged. */
const ifReadable = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch (error) {
    if (isCorrupt(error)) return undefined
    throw error
  }
}

/** Whether the schema lists the table of entries. The version in the header is not read: it may be damaged. */
const hasEntries = (connection: Connection): boolean =>
  ifReadable(() =>
    connection.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'entries'")
  ) === 1

/** No entry is looked for further behind a damaged place. */
const maxSkip = 2 ** 45

/** The first readable position behind a damaged one, by exponential and then binary search. */
const skipDamage = (connection: Connection, damaged: Position): Position | undefined => {
  const isReadable = (at: Position): boolean => ifReadable(() => readFrom(connection, at, 1)) !== undefined
  let low = damaged
  let high = damaged + 1
  for (let step = 1; !isReadable(high); step *= 2) {
    if (step > maxSkip) return undefined
    low = high
    high += step
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isReadable(middle)) high = middle
    else low = middle
  }
  return high
}

/** Counts the checkpoints that record the pruning of everything up to a position. */
const checkpointQuery = `SELECT count(*) FROM entries WHERE branch = '${journalBranch}' AND tag = '${checkpointTag}'
  AND iif(json_valid(body), body ->> '$.kind' = 'removed' AND body ->> '$.through' = ?, 0)`

/** Where the journal begins; a position without a checkpoint does not count, because it would hide entries. */
const checkedPrunedThrough = (connection: Connection): Position => {
  const pruned = ifReadable(() => prunedThrough(connection)) ?? 0
  if (pruned === 0) return 0
  // The checkpoint may be on a damaged page: then pruned entries stay pruned.
  return ifReadable(() => connection.number(checkpointQuery, pruned)) === 0 ? 0 : pruned
}

const findOnPages = function* (
  { texts }: Connection,
  pages: PageReader,
  from: Position,
  to: Position,
): Generator<SalvagedItem> {
  for (const row of pages.rowsBetween(from, to)) {
    let body
    try {
      body = resolveText(texts, row.position, row.body)
    } catch {
      // The text of this body is lost, and the entry with it.
      continue
    }
    yield { row: { ...row, body } }
  }
}

/** Finds entries through the tree of the table, and where it is damaged, on every page that looks like a part of it. */
const findEntries = function* (connection: Connection, pages: PageReader): Generator<SalvagedItem> {
  if (!hasEntries(connection)) {
    let isFound = false
    for (const found of findOnPages(connection, pages, 1, Infinity)) {
      isFound = true
      yield found
    }
    if (isFound) return
    throw JournalError.because(
      { _tag: "Corrupt", what: notADatabase, code: "SQLITE_NOTADB" },
      `journal: nothing was salvaged: ${notADatabase}, and no page of it holds entries (SQLITE_NOTADB)`,
    )
  }
  let at: Position | undefined = checkedPrunedThrough(connection) + 1
  while (at !== undefined) {
    const from: Position = at
    const rows = ifReadable(() => readFrom(connection, from, batchRows)) ??
      ifReadable(() => readFrom(connection, from, 1))
    if (rows === undefined) {
      at = skipDamage(connection, from)
      yield* findOnPages(connection, pages, from, at ?? Infinity)
      continue
    }
    if (rows.length === 0) return
    for (const cells of rows) {
      const row = rowOf(cells)
      at = row.position + 1
      let body
      try {
        body = readBody(connection, cells)
      } catch {
        // The pages or the text of this body are damaged: the entry is lost.
        continue
      }
      yield { row: { ...row, body } }
    }
  }
}

/** Copies a database with its logs into a directory; returns the path of the copy. */
const copyFiles = ({ fs, path: paths }: Builtins, path: string, directory: string): string => {
  const copy = paths.join(directory, "journal.db")
  fs.copyFileSync(path, copy)
  for (const logPath of [walPath, rollbackJournalPath]) {
    if (fs.existsSync(logPath(path))) fs.copyFileSync(logPath(path), logPath(copy))
  }
  return copy
}

/**
 * Copies the readable entries of a damaged SQLite journal into the store of an empty journal: with their times, in their
 * order, at positions from 1 on. The hash chain is a new one. The last entry, tagged `Salvaged`, records what was lost.
 *
 * A write-ahead log or rollback journal next to the file is taken into account. The source is not written; stop its
 * writers first. The directory for temporary files must have room for a copy. Errors: `Invalid` if `to` has entries or the
 * path is no file, `Missing`, and `Corrupt` if nothing can be read.
 *
 * @example
 * ```ts
 * import { SqliteJournal } from "@sluice/shell/journal/sqlite"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const folder = mkdtempSync(join(tmpdir(), "salvage-"))
 * const [damaged, fresh] = [join(folder, "damaged.db"), join(folder, "new.db")]
 * const note = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const append = Effect.flatMap(SqliteJournal.make({ path: damaged }), (journal) => journal.append([note]))
 * await Effect.runPromise(Effect.scoped(append))
 *
 * const store = SqliteJournal.openStore({ path: fresh })
 * const salvage = Effect.flatMap(store, (to) => SqliteJournal.salvage({ path: damaged }, to))
 * const report = await Effect.runPromise(Effect.scoped(salvage))
 * console.log(report.entries, report.lostEntries) // 1 0
 * ```
 *
 * @stability experimental
 */
export const salvage = (
  options: { readonly path: string },
  to: JournalStore,
): Effect.Effect<SalvageReport, JournalError> =>
  Effect.flatMap(
    StoreOption.resolveStoreOptions("SqliteJournal.salvage", options, { path: StoreOption.path }, ({ path }) => path),
    (path) => salvageFile(path, to),
  )

const salvageFile = (path: string, to: JournalStore): Effect.Effect<SalvageReport, JournalError> => {
  const toError = (error: unknown): JournalError => toJournalError(`${path} was not salvaged`, path, error)
  const attempt = <A>(work: () => A): Effect.Effect<A, JournalError> => Effect.try({ try: work, catch: toError })
  const acquire = <A>(open: () => A, close: (opened: A) => void) =>
    Effect.acquireRelease(attempt(open), (opened) => Effect.sync(() => close(opened)))
  return Effect.scoped(Effect.gen(function* () {
    const builtins = yield* attempt(loadBuiltins)
    const { fs, os, path: paths, sqlite } = builtins
    const source = paths.resolve(path)
    // Copying a FIFO would wait for a writer, and a device has no end.
    yield* attempt(() => {
      checkPath(path)
      ensureFile(builtins, source, false)
    })
    const directory = yield* acquire(
      () => fs.mkdtempSync(paths.join(os.tmpdir(), "sluice-salvage-")),
      (made) => fs.rmSync(made, { recursive: true, force: true }),
    )
    const copy = yield* attempt(() => copyFiles(builtins, source, directory))
    const texts = new TextFolder(builtins, source)
    const connection = yield* acquire(
      () => new Connection(new sqlite.DatabaseSync(copy), texts),
      (open) => open.close(),
    )
    // Moves the log into the file, unless the log is damaged.
    yield* attempt(() => ifReadable(() => connection.row("PRAGMA wal_checkpoint(TRUNCATE)")))
    const pages = yield* acquire(() => new PageReader(builtins, copy), (open) => open.close())
    return yield* salvageInto(to, source, findEntries(connection, pages), toError)
  }))
}
