/**
 * Makes the tables of a new file, and refuses a file of another layout.
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import type { Connection } from "./Connection.ts"
import { applicationId, currentVersion, schema } from "./schema.ts"

/** What a file is, by its header. */
export interface Layout {
  readonly applicationId: number
  readonly version: number
  /** Changes with every table; 0 when there is none. */
  readonly schemaVersion: number
}

/** Reads what a file is. */
export const layoutOf = (connection: Connection): Layout => ({
  applicationId: connection.number("PRAGMA application_id"),
  version: connection.number("PRAGMA user_version"),
  schemaVersion: connection.number("PRAGMA schema_version"),
})

/** Nothing was ever written into it. */
export const isBlank = (layout: Layout): boolean => layout.applicationId === 0 && layout.schemaVersion === 0

/** Throws when a file is of a later version, or of one from before the first release. */
export const checkVersion = (version: number, path: string): void => {
  if (version === currentVersion) return
  if (version > currentVersion) {
    throw JournalError.because(
      { _tag: "TooNew", version, known: currentVersion },
      `journal: ${path} was not opened: its layout ${version} is newer than ${currentVersion}, the last that is known`,
    )
  }
  throw JournalError.because(
    { _tag: "Invalid", field: "path" },
    `journal: ${path} was not opened: its layout ${version} is older than ${currentVersion}; ` +
      `"sluice journal salvage ${path} NEW" copies its entries into a new journal`,
  )
}

/** Throws when a file is another application's, or of another version. */
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
 * Makes the tables of a blank file. Not yet with a write-ahead log: then the header, which says whose file this is, is in
 * the file itself before anybody else can look at it.
 */
const create = (connection: Connection, path: string): void => {
  // It can only be chosen before the first table.
  connection.exec("PRAGMA auto_vacuum = INCREMENTAL")
  connection.write(() => {
    const layout = layoutOf(connection)
    // Another process was faster, perhaps.
    if (!isBlank(layout)) return checkLayout(layout, path)
    for (const [, sql] of schema) connection.exec(sql)
    connection.exec("INSERT INTO meta VALUES (1, 0, 0)")
    // Both are part of the header of the file, and of the transaction.
    connection.exec(`PRAGMA application_id = ${applicationId}`)
    connection.exec(`PRAGMA user_version = ${currentVersion}`)
  })
}

/** Makes a blank file a journal, and checks that any other is one of today's layout. */
export const prepare = (connection: Connection, path: string): void => {
  const layout = layoutOf(connection)
  if (isBlank(layout)) create(connection, path)
  else checkLayout(layout, path)
  if (connection.row("PRAGMA journal_mode = WAL")?.[0] !== "wal") {
    throw JournalError.because(
      { _tag: "Failed" },
      `journal: ${path} was not opened: the file system takes no write-ahead log (memory shared by processes)`,
    )
  }
}
