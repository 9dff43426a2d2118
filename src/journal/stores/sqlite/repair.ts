/** Creates the indexes, marks and view of a SQLite journal again from its entries. */
import * as Effect from "effect/Effect"
import { quote } from "../../../base/quote.ts"
import type { Cells } from "../../../sql/nodeSqlite.ts"
import { JournalError } from "../../JournalError.ts"
import { connectWriting, inspectLayout } from "./connect.ts"
import { type Connection, numberAt, textAt } from "./Connection.ts"
import { entryOnDamagedPage, isCorrupt } from "./errors.ts"
import { checkPath, ensureFile } from "./file.ts"
import { loadBuiltins } from "./loadBuiltins.ts"
import { resolveOptions, type SqliteOptions } from "./options.ts"
import { retryWhileBusy, runOnce } from "./retryWhileBusy.ts"
import { derivedObjects, findForeignObjects, findSchemaDifferences, tables } from "./schema.ts"
import { MarkBuilder } from "./sparseIndex.ts"

/** The changes of a repair. */
export interface SqliteRepairReport {
  readonly entries: number
  /** Entries whose marks, which say which indexes hold them, were wrong. */
  readonly marks: number
  /** Indexes, views and triggers that were missing, changed, or not the store's own. */
  readonly objects: ReadonlyArray<string>
}

/** The file to repair, and the time to wait for its writers. */
export type SqliteRepairOptions = Pick<SqliteOptions, "path" | "lockTimeout">

/** Restores the first position of the journal, if the file has lost it. */
const metaInsert = `INSERT OR IGNORE INTO meta
  SELECT 1, ifnull(min(position), 1) - 1, ifnull(min(position), 1) - 1 FROM entries`

const notRepaired = (path: string, what: string, advice: string): JournalError =>
  JournalError.because({ _tag: "Corrupt", what }, `journal: ${path} was not repaired: ${what}${advice}`)

const sqlName = (name: string): string => `"${name.replaceAll(`"`, `""`)}"`

const typeOf = (connection: Connection, name: string): string | undefined => {
  const row = connection.row("SELECT type FROM sqlite_schema WHERE lower(name) = ?", name)
  return row === undefined ? undefined : textAt(row, 0)
}

const dropDerivedObjects = (connection: Connection, path: string): ReadonlyArray<string> => {
  const differences = findSchemaDifferences(connection)
  const table = tables.find(([name]) => differences.includes(name))?.[0]
  if (table !== undefined) {
    throw notRepaired(
      path,
      `table ${quote(table)} is not as it was created`,
      `; "sluice journal salvage ${path} NEW" copies what can be read into a new journal`,
    )
  }
  for (const { name, type } of findForeignObjects(connection)) connection.exec(`DROP ${type} ${sqlName(name)}`)
  for (const [name] of derivedObjects) {
    const type = typeOf(connection, name)
    if (type === "table") {
      throw notRepaired(
        path,
        `${quote(name)} is a table`,
        ", which may hold data of others; rename or drop it with the sqlite3 program, then repair again",
      )
    }
    if (type !== undefined) connection.exec(`DROP ${type} ${name}`)
  }
  return differences
}

const batchRows = 4_096

const marksQuery =
  `SELECT position, marks, correlation_id, tag, branch FROM entries WHERE position > ? ORDER BY position LIMIT ${batchRows}`

/**
 * Corrects the marks of all rows, and yields after each batch. Returns the number of rows, and of rows with wrong
 * marks.
 */
const correctMarks = function* (connection: Connection): Generator<void, { entries: number; marks: number }> {
  const builder = new MarkBuilder()
  let [after, entries, marks] = [0, 0, 0]
  for (;;) {
    let rows: ReadonlyArray<Cells>
    try {
      rows = connection.rows(marksQuery, after)
    } catch (error) {
      throw isCorrupt(error) ? entryOnDamagedPage(after + 1, error) : error
    }
    for (const cells of rows) {
      const position = numberAt(cells, 0)
      const [correlationId, tag, branch] = [textAt(cells, 2), textAt(cells, 3), textAt(cells, 4)]
      const expected = builder.marksOf({ position, correlationId, tag, branch })
      after = position
      if (expected === numberAt(cells, 1)) continue
      marks++
      connection.run("UPDATE entries SET marks = ? WHERE position = ?", expected, position)
    }
    entries += rows.length
    if (rows.length === 0) return { entries, marks }
    yield
  }
}

/**
 * Creates the indexes, marks and view of a SQLite journal again from its entries, and drops triggers and indexes of
 * others, in one transaction. Entries are not changed: `verify` checks them. Other processes can read
 * meanwhile, and wait to write. Memory: a few thousand entries.
 *
 * Errors: those of opening the file, and `Corrupt` if an entry cannot be read: then `JournalStore.salvage` copies the
 * others.
 *
 * @example
 * ```ts
 * import { SqliteJournal } from "@sluice/shell/journal/sqlite"
 * import { Effect } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "repair-")), "journal.db")
 * const note = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const append = Effect.flatMap(SqliteJournal.make({ path }), (journal) => journal.append([note]))
 *
 * await Effect.runPromise(Effect.scoped(append))
 * const report = await Effect.runPromise(SqliteJournal.repair({ path }))
 * console.log(report.entries, report.objects.length) // 1 0
 * ```
 */
export const repair = (options: SqliteRepairOptions): Effect.Effect<SqliteRepairReport, JournalError> =>
  Effect.gen(function* () {
    const { lockTimeoutMillis } = yield* resolveOptions(options)
    const operation = { tried: `${options.path} was not repaired`, path: options.path, lockTimeoutMillis }
    const builtins = yield* runOnce(operation, loadBuiltins)
    const open = (): Connection => {
      checkPath(options.path)
      const path = builtins.path.resolve(options.path)
      ensureFile(builtins, path, false)
      if (inspectLayout(builtins, path) !== undefined) return connectWriting(builtins, path)
      throw JournalError.because(
        { _tag: "Missing", path: options.path },
        `journal: ${options.path} was not repaired: it is an empty file; the journal is elsewhere, or was cut off`,
      )
    }
    const rebuild = (connection: Connection) =>
      Effect.gen(function* () {
        const objects = yield* retryWhileBusy(operation, () => {
          connection.run("BEGIN IMMEDIATE")
          const differences = dropDerivedObjects(connection, options.path)
          connection.run(metaInsert)
          return differences
        })
        const correction = correctMarks(connection)
        let step = yield* runOnce(operation, () => correction.next())
        while (step.done !== true) {
          yield* Effect.yieldNow
          step = yield* runOnce(operation, () => correction.next())
        }
        yield* runOnce(operation, () => {
          for (const [, sql] of derivedObjects) connection.exec(sql)
          connection.run("COMMIT")
        })
        return { ...step.value, objects }
      })
    return yield* Effect.acquireUseRelease(retryWhileBusy(operation, open), rebuild, (connection) =>
      Effect.sync(() => {
        connection.rollback()
        connection.close()
      }))
  })
