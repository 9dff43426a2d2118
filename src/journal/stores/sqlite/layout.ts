/**
 * Makes the tables of a new file, and brings an old file to the layout of today.
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import type { Connection } from "./Connection.ts"
import { applicationId, currentVersion, type Migration, migrations } from "./schema.ts"

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

/** Throws when a file is another application's, or of a later version. */
export const checkLayout = (layout: Layout, path: string): void => {
  if (layout.applicationId !== applicationId) {
    throw JournalError.because(
      { _tag: "Invalid", field: "path" },
      `journal: ${path} was not opened: it is a SQLite database of another application`,
    )
  }
  if (layout.version > currentVersion) {
    throw JournalError.because(
      { _tag: "TooNew", version: layout.version, known: currentVersion },
      `journal: ${path} was not opened: its layout ${layout.version} is newer than ${currentVersion}, the last that is known`,
    )
  }
}

const step = (connection: Connection, migration: Migration, version: number): void => {
  for (const sql of migration) connection.exec(sql)
  connection.exec("UPDATE meta SET generation = generation + 1")
  // Part of the header of the file, and of the transaction.
  connection.exec(`PRAGMA user_version = ${version}`)
}

/**
 * Makes the first tables of a blank file. Not yet with a write-ahead log: then the header, which says whose file this
 * is, is in the file itself before anybody else can look at it.
 */
const create = (connection: Connection, path: string): void => {
  const [first] = migrations
  // It can only be chosen before the first table.
  connection.exec("PRAGMA auto_vacuum = INCREMENTAL")
  connection.write(() => {
    const layout = layoutOf(connection)
    // Somebody else was faster, perhaps.
    if (!isBlank(layout)) return checkLayout(layout, path)
    connection.exec(`PRAGMA application_id = ${applicationId}`)
    step(connection, first ?? [], 1)
  })
}

/** Makes a file one of today's layout. Each step is a transaction; one that was interrupted begins again. */
export const migrate = (connection: Connection, path: string, steps: ReadonlyArray<Migration> = migrations): void => {
  const layout = layoutOf(connection)
  if (isBlank(layout)) create(connection, path)
  else checkLayout(layout, path)
  if (connection.row("PRAGMA journal_mode = WAL")?.[0] !== "wal") {
    throw JournalError.because(
      { _tag: "Failed" },
      `journal: ${path} was not opened: the file system takes no write-ahead log (memory shared by processes)`,
    )
  }
  while (layoutOf(connection).version < steps.length) {
    connection.write(() => {
      const { version } = layoutOf(connection)
      const next = steps[version]
      if (next !== undefined) step(connection, next, version + 1)
    })
  }
}
