/**
 * Makes again from its entries what a file has beside them.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { JournalError } from "../../JournalError.ts"
import { connectWriting, inspect } from "./connect.ts"
import type { Connection } from "./Connection.ts"
import { differentObjects, foreignObjects, MarkWalk, typeOf } from "./differences.ts"
import { builtins } from "./driver.ts"
import { checkPath, ensureFile } from "./file.ts"
import { settingsOf, type SqliteOptions } from "./options.ts"
import { derivedStatements, schema } from "./schema.ts"
import { attempt, whenFree } from "./waiting.ts"

/** What was repaired. */
export interface SqliteRepairReport {
  /** Entries that were looked at; none was changed. */
  readonly entries: number
  /** Entries whose marks, which say what the indexes have, were not what they should be. */
  readonly marks: number
  /** Indexes, views and triggers that were missing, different, or should not have been there. */
  readonly objects: ReadonlyArray<string>
}

/** What holds the entries: it cannot be made again. */
const tables: ReadonlyArray<string> = schema.slice(0, -derivedStatements.length).map(([name]) => name)

/** Where the journal begins, if the file no longer says so. */
const metaInsert = `INSERT OR IGNORE INTO meta
  SELECT 1, ifnull(min(position), 1) - 1, ifnull(min(position), 1) - 1 FROM entries`

const notOurs = (path: string, table: string): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what: `table "${table}" is not as it was made` },
    `journal: ${path} was not repaired: table "${table}" is not as it was made; ` +
      `"sluice journal salvage ${path} NEW" copies what can be read into a new journal`,
  )

const empty = (path: string): JournalError =>
  JournalError.because(
    { _tag: "Missing", path },
    `journal: ${path} was not repaired: it is an empty file; the journal is elsewhere, or it was cut off`,
  )

const quoted = (name: string): string => `"${name.replaceAll(`"`, `""`)}"`

/** Sets the marks of the next rows; whether there may be more. */
const markSome = (connection: Connection, walk: MarkWalk, count: (changed: number) => void): boolean => {
  const rows = walk.next(connection)
  const wrong = rows.filter(({ has, needs }) => has !== needs)
  for (const { needs, position } of wrong) {
    connection.run("UPDATE entries SET marks = ? WHERE position = ?", needs, position)
  }
  count(wrong.length)
  return rows.length > 0
}

const inTheWay = (path: string, name: string): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what: `"${name}" is a table` },
    `journal: ${path} was not repaired: "${name}" is a table, which may hold data of others; rename or drop it ` +
      `with the sqlite3 program, then repair again`,
  )

const dropDerived = (connection: Connection, path: string): void => {
  for (const { name, type } of foreignObjects(connection)) connection.exec(`DROP ${type} ${quoted(name)}`)
  for (const [name] of derivedStatements) {
    const type = typeOf(connection, name)
    if (type === "table") throw inTheWay(path, name)
    if (type !== undefined) connection.exec(`DROP ${type} ${name}`)
  }
}

/**
 * Makes the indexes, marks and views of a SQLite journal again from its entries, and drops triggers and indexes that are
 * not its own: all of it as one transaction, with no more memory than a few thousand entries need. Entries stay as they are: `verify` says whether
 * they hold. Others can read meanwhile, and wait to write.
 *
 * Errors: those of opening it; `Corrupt` when an entry cannot be read: then `salvageSqlite` copies those that can.
 * `lockTimeout` is how long to wait for other writers. Default: 10 seconds.
 *
 * @example
 * ```ts
 * import * as SqliteJournal from "@sluice/shell/journal/sqlite"
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
 * const report = await Effect.runPromise(SqliteJournal.repairSqlite({ path }))
 * console.assert(report.entries === 1 && report.objects.length === 0)
 * ```
 */
export const repairSqlite = (
  options: Pick<SqliteOptions, "path" | "lockTimeout">,
): Effect.Effect<SqliteRepairReport, JournalError> => {
  const { lockTimeoutMillis } = settingsOf(options)
  const repairing = { tried: `${options.path} was not repaired`, path: options.path, lockTimeoutMillis }
  return Effect.flatMap(attempt(repairing, builtins), (modules) =>
    Effect.acquireUseRelease(
      whenFree(repairing, () => {
        checkPath(options.path)
        const path = modules.path.resolve(options.path)
        ensureFile(modules, path, false)
        if (inspect(modules, path) === undefined) throw empty(options.path)
        return connectWriting(modules, path)
      }),
      (connection) =>
        Effect.gen(function* () {
          const walk = new MarkWalk()
          let marks = 0
          const objects = yield* whenFree(repairing, () => {
            connection.run("BEGIN IMMEDIATE")
            const different = differentObjects(connection)
            const table = different.find((name) => tables.includes(name))
            if (table !== undefined) throw notOurs(options.path, table)
            dropDerived(connection, options.path)
            connection.run(metaInsert)
            return different
          })
          const some = (): boolean => markSome(connection, walk, (changed) => marks += changed)
          while (yield* attempt(repairing, some)) yield* Effect.yieldNow
          yield* attempt(repairing, () => {
            for (const [, sql] of derivedStatements) connection.exec(sql)
            connection.run("COMMIT")
          })
          return { entries: walk.entries, marks, objects }
        }),
      (connection) =>
        Effect.sync(() => {
          connection.rollback()
          connection.close()
        }),
    ))
}
