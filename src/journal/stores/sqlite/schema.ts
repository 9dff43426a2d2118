/** Defines, creates and compares the tables, indexes and view of a SQLite journal. */
import type { Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import { type Connection, textAt } from "./Connection.ts"
import { sparseIndexes } from "./sparseIndex.ts"

/** "Slui" in the header of the file (`application_id`). */
const applicationId = 0x536c7569

/** The layout of the tables (`user_version`). */
export const currentVersion = 1

export type SchemaObject = readonly [name: string, sql: string]

/** For people with the sqlite3 program: `SELECT * FROM journal`. */
const view = `CREATE VIEW journal AS
  SELECT position, strftime('%Y-%m-%dT%H:%M:%fZ', time / 1000.0, 'unixepoch') AS time, branch, tag, correlation_id,
    version, hash, nullif(body, '') AS body
  FROM entries WHERE position > (SELECT removed FROM meta)`

/** Indexes and views: they can be created again from the entries. */
export const derivedObjects: ReadonlyArray<SchemaObject> = [
  ...sparseIndexes.map(({ bit, column, name }): SchemaObject => [
    name,
    `CREATE INDEX ${name} ON entries (${column}) WHERE marks & ${bit}`,
  ]),
  ["journal", view],
]

/** The tables. `body` is the last column: SQLite reads the others without it. */
export const tables: ReadonlyArray<SchemaObject> = [
  // `removed`: entries up to this position are pruned. `cleaned`: they are deleted from the file, too.
  [
    "meta",
    `CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      removed INTEGER NOT NULL,
      cleaned INTEGER NOT NULL
    ) STRICT`,
  ],
  [
    "entries",
    `CREATE TABLE entries (
      position INTEGER PRIMARY KEY,
      marks INTEGER NOT NULL,
      time INTEGER NOT NULL,
      branch TEXT NOT NULL,
      correlation_id TEXT NOT NULL,
      tag TEXT NOT NULL,
      version INTEGER NOT NULL,
      hash TEXT NOT NULL,
      body TEXT NOT NULL
    ) STRICT`,
  ],
]

const prunedQuery = "SELECT removed FROM meta"

export const prunedThrough = (connection: Connection): Position => connection.number(prunedQuery)

export interface Layout {
  readonly applicationId: number
  readonly version: number
  /** SQLite's counter of schema changes; 0 in a file without tables. */
  readonly schemaVersion: number
}

export const readLayout = (connection: Connection): Layout => ({
  applicationId: connection.number("PRAGMA application_id"),
  version: connection.number("PRAGMA user_version"),
  schemaVersion: connection.number("PRAGMA schema_version"),
})

export const isBlank = (layout: Layout): boolean => layout.applicationId === 0 && layout.schemaVersion === 0

export const checkVersion = (version: number, path: string): void => {
  if (version === currentVersion) return
  if (version > currentVersion) {
    throw JournalError.because(
      { _tag: "TooNew", version, known: currentVersion },
      `journal: ${path} was not opened: its layout ${version} is newer than ${currentVersion}, the last known one; ` +
        "update this program",
    )
  }
  throw JournalError.because(
    { _tag: "Invalid", field: "path" },
    `journal: ${path} was not opened: its layout ${version} is unknown; the sqlite3 program can read it`,
  )
}

export const checkLayout = (layout: Layout, path: string): void => {
  if (layout.applicationId !== applicationId) {
    throw JournalError.because(
      { _tag: "Invalid", field: "path" },
      `journal: ${path} was not opened: it is a SQLite database of another application`,
    )
  }
  checkVersion(layout.version, path)
}

/**
 * Creates the tables in a blank file. The write-ahead log comes later, so that the header is in the file itself before
 * another process can read it.
 */
const createSchema = (connection: Connection, path: string): void => {
  // Can only be set before the first table exists. Output of 64 KiB costs 15 % less CPU than on pages of 4 KiB.
  connection.exec("PRAGMA page_size = 8192")
  connection.exec("PRAGMA auto_vacuum = INCREMENTAL")
  connection.write(() => {
    const layout = readLayout(connection)
    // Another process may have created it since.
    if (!isBlank(layout)) return checkLayout(layout, path)
    for (const [, sql] of [...tables, ...derivedObjects]) connection.exec(sql)
    connection.exec("INSERT INTO meta VALUES (1, 0, 0)")
    // Both pragmas change the file's header, within this transaction.
    connection.exec(`PRAGMA application_id = ${applicationId}`)
    connection.exec(`PRAGMA user_version = ${currentVersion}`)
  })
}

export const prepareSchema = (connection: Connection, path: string): void => {
  const layout = readLayout(connection)
  if (isBlank(layout)) createSchema(connection, path)
  else checkLayout(layout, path)
  if (connection.row("PRAGMA journal_mode = WAL")?.[0] !== "wal") {
    throw JournalError.because(
      { _tag: "Failed" },
      `journal: ${path} was not opened: its file system has no shared memory, which the write-ahead log needs; ` +
        "use a disk of this machine",
    )
  }
}

export interface ForeignObject {
  readonly type: "trigger" | "index"
  readonly name: string
}

/** The foreign objects: a unique index, or one that cannot be computed, keeps entries out. */
export const findForeignObjects = (connection: Connection): ReadonlyArray<ForeignObject> => {
  const own = new Set([...tables, ...derivedObjects].map(([name]) => name))
  return connection.rows("SELECT type, name, tbl_name FROM sqlite_schema WHERE type IN ('trigger', 'index')").flatMap(
    (row): ReadonlyArray<ForeignObject> => {
      const [name, table] = [textAt(row, 1), textAt(row, 2)]
      if (row[0] === "trigger") return [{ type: "trigger", name }]
      return own.has(table) && !own.has(name) ? [{ type: "index", name }] : []
    },
  )
}

export const findSchemaDifferences = (connection: Connection): ReadonlyArray<string> => {
  const expected = [...tables, ...derivedObjects]
  const rows = connection.rows("SELECT name, ifnull(sql, '') FROM sqlite_schema")
  const found = new Map(rows.map((row) => [textAt(row, 0), textAt(row, 1)]))
  return [
    ...expected.filter(([name, sql]) => found.get(name) !== sql).map(([name]) => name),
    ...findForeignObjects(connection).map(({ name }) => name),
  ]
}
