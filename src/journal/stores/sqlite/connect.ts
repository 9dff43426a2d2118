/** Opens SQLite connections to the file of a journal, and rolls back the partial transaction of a killed writer. */
import { JournalError } from "../../JournalError.ts"
import { Connection } from "./Connection.ts"
import { isUnopenable, notADatabase } from "./errors.ts"
import { isWritable, rollbackJournalPath, statFile, walPath } from "./file.ts"
import type { Builtins } from "./loadBuiltins.ts"
import { checkLayout, isBlank, type Layout, prepareSchema, readLayout } from "./schema.ts"

/** Milliseconds for which SQLite itself waits for a lock. It blocks the event loop. */
const busyTimeoutMillis = 2

/** Bytes of write-ahead log that stay on the disk when it starts over. */
const maxIdleWalBytes = 16 * 1024 * 1024

/**
 * Number of pages (of 8 KiB) in the write-ahead log at which a commit moves them into the file, for which it waits for
 * the disk twice.
 */
const checkpointPages = 2_048

/** The smallest page. SQLite takes a shorter file for an empty one, and would overwrite it. */
const minFileBytes = 512

const connect = (builtins: Builtins, path: string, readOnly: boolean, location: string | URL = path): Connection =>
  new Connection(new builtins.sqlite.DatabaseSync(location, { readOnly, timeout: busyTimeoutMillis }))

const setUp = <A>(connection: Connection, use: (connection: Connection) => A): A => {
  try {
    return use(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

export const connectReadOnly = (builtins: Builtins, path: string): Connection => connect(builtins, path, true)

/**
 * Opens a file that no process writes, without locks and without creating files. `undefined` on Deno without all permissions:
 * there the URL is taken for a path.
 */
const connectImmutable = (builtins: Builtins, path: string): Connection | undefined => {
  const url = builtins.url.pathToFileURL(path)
  url.searchParams.set("immutable", "1")
  try {
    return connect(builtins, path, true, url)
  } catch (error) {
    if (isUnopenable(error, path)) return undefined
    throw error
  }
}

export const connectWriting = (builtins: Builtins, path: string): Connection =>
  setUp(connect(builtins, path, false), (connection) => {
    connection.exec("PRAGMA synchronous = NORMAL")
    prepareSchema(connection, path)
    connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages}`)
    connection.exec(`PRAGMA journal_size_limit = ${maxIdleWalBytes}`)
    // Overwrites deleted content if that writes no additional page.
    connection.exec("PRAGMA secure_delete = FAST")
    return connection
  })

const takeLayout = (connection: Connection): Layout => {
  try {
    return readLayout(connection)
  } finally {
    connection.close()
  }
}

/** Whether a log or a rollback journal exists next to the file, so that the file alone may be incomplete. */
const hasLog = (builtins: Builtins, path: string): boolean =>
  [walPath(path), rollbackJournalPath(path)].some((log) => statFile(builtins, log) !== undefined)

export const fileVersion = (builtins: Builtins, path: string): string =>
  [path, walPath(path), rollbackJournalPath(path)].map((file) => statFile(builtins, file)?.version).join(" ")

/**
 * Rolls back the partial transaction of a killed writer without a write-ahead log, as SQLite does when it opens the file for
 * writing. Otherwise a reader would see pages of two states.
 */
export const recoverRollbackJournal = (builtins: Builtins, path: string): void => {
  if (statFile(builtins, rollbackJournalPath(path)) === undefined || !isWritable(builtins, path)) return
  try {
    takeLayout(connect(builtins, path, false))
  } catch (error) {
    // Not every runtime reports beforehand that the file may not be written; a read fails then.
    if (!isUnopenable(error, path)) throw error
  }
}

/**
 * Reads the layout of a file without writing it, and without a lock unless it is open somewhere; `undefined` if it is
 * blank.
 *
 * A file with a log next to it is not read on its own: a checkpoint may be under way, or its process may have been
 * killed, so that pages do not match and an intact journal would look corrupt.
 */
export const inspectLayout = (builtins: Builtins, path: string): Layout | undefined => {
  const size = statFile(builtins, path)?.size ?? 0
  if (size === 0) return undefined
  if (size < minFileBytes) {
    throw JournalError.because(
      { _tag: "Corrupt", what: notADatabase, code: "SQLITE_NOTADB" },
      `journal: ${path} was not opened: ${notADatabase} (SQLITE_NOTADB)`,
    )
  }
  let layout
  try {
    const alone = hasLog(builtins, path) ? undefined : connectImmutable(builtins, path)
    layout = takeLayout(alone ?? connectReadOnly(builtins, path))
  } catch (error) {
    // Another process may have opened it since.
    if (!hasLog(builtins, path)) throw error
    layout = takeLayout(connectReadOnly(builtins, path))
  }
  return isBlank(layout) ? undefined : layout
}

export interface ReadConnection {
  readonly connection: Connection
  /** The {@link fileVersion} at which the connection was opened without locks; at any other version it is stale. */
  readonly version: string | undefined
}

/**
 * Opens a file that may not be written. A file without a log is open nowhere, so it is opened without locks: otherwise
 * SQLite would create the log's files, which the owner of the journal perhaps could not write, or would fail if it may
 * not create them.
 */
export const connectReading = (builtins: Builtins, path: string): ReadConnection => {
  recoverRollbackJournal(builtins, path)
  const version = hasLog(builtins, path) ? undefined : fileVersion(builtins, path)
  const immutable = version === undefined ? undefined : connectImmutable(builtins, path)
  return setUp(immutable ?? connectReadOnly(builtins, path), (connection) => {
    const layout = readLayout(connection)
    if (isBlank(layout)) {
      throw JournalError.because(
        { _tag: "Missing", path },
        `journal: ${path} was not opened: it is an empty file, and may not be written`,
      )
    }
    checkLayout(layout, path)
    return { connection, version: immutable === undefined ? undefined : version }
  })
}
