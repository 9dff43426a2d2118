/**
 * Reads what can be read of a damaged database. It is copied first: the source is not written, and not opened by SQLite.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { checkpointTag, journalBranch } from "../../checkpoint.ts"
import type { Position, Row } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalStore } from "../../JournalStore.ts"
import { type SalvagedItem, salvageInto, type SalvageReport } from "../../salvage.ts"
import { Connection } from "./Connection.ts"
import { type Builtins, builtins, type Cells } from "./driver.ts"
import { checkPath, ensureFile, logOf, rollbackOf } from "./file.ts"
import { entriesQuery, removedQuery } from "./queries.ts"
import { RawPages } from "./RawPages.ts"
import { bodyAt, rowOf } from "./RowScan.ts"
import { isCorrupt, journalError } from "./sqliteError.ts"

/** Rows that are read at once, with bodies of up to 4 KiB. */
const batch = 64

/** The entries from a position on, a few at most; throws what SQLite says. */
type Read = (from: Position, most: number) => ReadonlyArray<Cells>

/** The layouts before the first release had many entries in a row: those of the next row, as the cells of a scan. */
const segmentQuery = `SELECT position, time, kinds.branch, correlations.text, kinds.tag, kinds.version, hash, 0,
    iif(body = 'null', '', body)
  FROM (
    SELECT last - count + 1 + body.key AS position, time,
      iif(body.type = 'null', 'null', body.value) AS body,
      iif(body.key = count - 1, hash, substr(hashes, body.key * 65 + 1, 64)) AS hash,
      ifnull(json_extract('[' || kinds || ']', '$[' || body.key || ']'), kinds) AS kind,
      ifnull(json_extract('[' || correlations || ']', '$[' || body.key || ']'), correlations) AS correlation
    FROM segments, json_each('[' || replace(bodies, char(10), ',') || ']') AS body
    WHERE last = (SELECT last FROM segments WHERE last >= ? ORDER BY last LIMIT 1)
  ) AS entry
  JOIN kinds ON kinds.id = entry.kind
  JOIN correlations ON correlations.id = entry.correlation
  WHERE position >= ? ORDER BY position`

const hasTable = (connection: Connection, name: string): boolean =>
  connection.number("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", name) > 0

/** Asks for the table, not for the version of the layout: that is a number in the header, which may be spoilt. */
const readerOf = (connection: Connection): Read | undefined => {
  if (hasTable(connection, "entries")) {
    return (from, most) => connection.rows(entriesQuery("forward", true, ""), from, Number.MAX_SAFE_INTEGER, most)
  }
  return hasTable(connection, "segments") ? (from) => connection.rows(segmentQuery, from, from) : undefined
}

const attempt = <A>(work: () => A): A | undefined => {
  try {
    return work()
  } catch (error) {
    if (isCorrupt(error)) return undefined
    throw error
  }
}

/** Positions beyond which no entry is looked for behind a place that cannot be read. */
const farthest = 2 ** 45

/** The first position behind one that cannot be read from which on reading works again, or `undefined`. */
const behind = (read: Read, position: Position): Position | undefined => {
  const isReadable = (at: Position): boolean => attempt(() => read(at, 1)) !== undefined
  let low = position
  let high = position + 1
  for (let step = 1; !isReadable(high); step *= 2) {
    if (step > farthest) return undefined
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

const notAJournal: JournalError = JournalError.because(
  { _tag: "Corrupt", what: "not a SQLite database", code: "SQLITE_NOTADB" },
  "journal: nothing was salvaged: the file is not a SQLite database, and no page of it holds entries (SQLITE_NOTADB)",
)

const rowsBetween = function* (pages: RawPages, from: Position, to: Position): Generator<SalvagedItem> {
  for (const row of pages.between(from, to)) yield { row }
}

/** A checkpoint that signs off the removal of everything up to a position. */
const removalQuery = `SELECT count(*) FROM entries WHERE branch = '${journalBranch}' AND tag = '${checkpointTag}'
  AND iif(json_valid(body), body ->> '$.kind' = 'removed' AND body ->> '$.through' = ?, 0)`

/** Where the journal begins. A number that no checkpoint signs off would hide entries. */
const removedThrough = (connection: Connection): Position => {
  const removed = attempt(() => connection.number(removedQuery)) ?? 0
  if (removed === 0 || !hasTable(connection, "entries")) return removed
  const signed = attempt(() => connection.number(removalQuery, removed))
  // A checkpoint may be on a page that cannot be read: then pruned entries stay pruned.
  return signed === 0 ? 0 : removed
}

/** By the tree of the table; and where that leads nowhere, from any page that looks like a part of it. */
const foundIn = function* (connection: Connection, pages: RawPages): Generator<SalvagedItem> {
  const read = attempt(() => readerOf(connection))
  if (read === undefined) {
    let count = 0
    for (const found of rowsBetween(pages, 1, Infinity)) {
      count++
      yield found
    }
    if (count === 0) throw notAJournal
    return
  }
  const body = (cells: Cells): string | undefined => {
    try {
      return bodyAt(connection, cells)
    } catch {
      // SQLite, or the error of the entry: its body is lost.
      return undefined
    }
  }
  let at: Position | undefined = removedThrough(connection) + 1
  while (at !== undefined) {
    const from: Position = at
    const rows = attempt(() => read(from, batch)) ?? attempt(() => read(from, 1))
    if (rows === undefined) {
      at = behind(read, from)
      yield* rowsBetween(pages, from, at ?? Infinity)
      continue
    }
    if (rows.length === 0) return
    for (const cells of rows) {
      const row: Row = rowOf(cells)
      const text = body(cells)
      if (text !== undefined) yield { row: { ...row, body: text } }
      at = row.position + 1
    }
  }
}

/** Copies a database, its log and its rollback journal into a directory of their own; answers with the copy's path. */
const copy = ({ fs, path: paths }: Builtins, path: string, directory: string): string => {
  const copied = paths.join(directory, "journal.db")
  fs.copyFileSync(path, copied)
  for (const beside of [logOf, rollbackOf]) {
    if (fs.existsSync(beside(path))) fs.copyFileSync(beside(path), beside(copied))
  }
  return copied
}

/**
 * Copies what can be read of a damaged SQLite journal, also where the tree of its table is broken, or of one of an older
 * layout, into an empty journal's store: with their times, in their order, at positions from 1 on. The chain is a new
 * one; its last entry, tagged `Salvaged`, says what was lost.
 *
 * What a log or a rollback journal beside the file says counts. The source is not written; its writers must have stopped.
 * The directory for temporary files must have room for a copy. Errors: `Invalid` when `to` has entries, `Missing`,
 * `Corrupt` when there is nothing to read.
 *
 * @example
 * ```ts
 * import * as SqliteJournal from "@sluice/shell/journal/sqlite"
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
 * const store = SqliteJournal.openSqlite({ path: fresh })
 * const salvage = Effect.flatMap(store, (to) => SqliteJournal.salvageSqlite({ path: damaged }, to))
 * const report = await Effect.runPromise(Effect.scoped(salvage))
 * console.assert(report.entries === 1 && report.lostEntries === 0)
 * ```
 */
export const salvageSqlite = (
  { path }: { readonly path: string },
  to: JournalStore,
): Effect.Effect<SalvageReport, JournalError> => {
  const toError = (error: unknown): JournalError => journalError(`${path} was not salvaged`, path, error)
  const tried = <A>(work: () => A): Effect.Effect<A, JournalError> => Effect.try({ try: work, catch: toError })
  return Effect.scoped(Effect.gen(function* () {
    const modules = yield* tried(builtins)
    const directory = yield* Effect.acquireRelease(
      tried(() => {
        checkPath(path)
        // Copying a FIFO waits for a writer, and copying a device has no end.
        ensureFile(modules, modules.path.resolve(path), false)
        return modules.fs.mkdtempSync(modules.path.join(modules.os.tmpdir(), "sluice-salvage-"))
      }),
      (made) => Effect.sync(() => modules.fs.rmSync(made, { recursive: true, force: true })),
    )
    const source = modules.path.resolve(path)
    const copied = yield* tried(() => copy(modules, source, directory))
    const connection = yield* Effect.acquireRelease(
      tried(() => new Connection(new modules.sqlite.DatabaseSync(copied))),
      (open) => Effect.sync(() => open.close()),
    )
    // The log becomes a part of the file; of one that is spoilt it cannot.
    yield* tried(() => attempt(() => connection.row("PRAGMA wal_checkpoint(TRUNCATE)")))
    const pages = yield* Effect.acquireRelease(
      tried(() => new RawPages(modules, copied)),
      (open) => Effect.sync(() => open.close()),
    )
    return yield* salvageInto(to, source, foundIn(connection, pages), toError)
  }))
}
