/**
 * Connections to a file: one that writes, and those that only read.
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import { Connection } from "./Connection.ts"
import type { Builtins } from "./driver.ts"
import { factsOf, isWritable, logOf, rollbackOf } from "./file.ts"
import { checkLayout, isBlank, type Layout, layoutOf, prepare } from "./layout.ts"
import { isUnopenable } from "./sqliteError.ts"

/** Milliseconds for which SQLite itself waits for a lock: the event loop stands still meanwhile. */
const busyTimeout = 2

/** Bytes that the write-ahead log keeps on the disk when it begins anew. */
const logBytes = 16 * 1024 * 1024

const connect = ({ sqlite }: Builtins, location: string | URL, readOnly: boolean): Connection =>
  new Connection(new sqlite.DatabaseSync(location, { readOnly, timeout: busyTimeout }))

/** Uses a new connection; closes it when that fails. */
const opened = <A>(connection: Connection, use: (connection: Connection) => A): A => {
  try {
    return use(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * A connection that takes the file for one that nobody writes to: it takes no lock, and makes no file. `undefined` where
 * there is none to be had: Deno takes the URL for a path, unless it has all permissions.
 */
const immutable = (builtins: Builtins, path: string): Connection | undefined => {
  const url = builtins.url.pathToFileURL(path)
  url.searchParams.set("immutable", "1")
  try {
    return connect(builtins, url, true)
  } catch (error) {
    if (isUnopenable(error)) return undefined
    throw error
  }
}

const plain = (builtins: Builtins, path: string): Connection => connect(builtins, path, true)

/** Bytes of the smallest page. SQLite takes a file that is shorter for an empty one, and would write over it. */
const smallestFile = 512

const layoutBy = (connection: Connection): Layout => {
  try {
    return layoutOf(connection)
  } finally {
    connection.close()
  }
}

/** Whether a file alone may be half of what it is: a log or a rollback journal stands beside it. */
const hasMore = (builtins: Builtins, path: string): boolean =>
  [logOf(path), rollbackOf(path)].some((beside) => factsOf(builtins, beside) !== undefined)

/**
 * Takes back what a killed writer left half done in a file without a write-ahead log, as SQLite does for whoever may write
 * the file. Without it a reader would find pages of two states.
 */
export const takeBack = (builtins: Builtins, path: string): void => {
  if (factsOf(builtins, rollbackOf(path)) === undefined || !isWritable(builtins, path)) return
  try {
    layoutBy(connect(builtins, path, false))
  } catch (error) {
    // Not every runtime says beforehand that nothing can be written; who reads then hears of it.
    if (!isUnopenable(error)) throw error
  }
}

/**
 * What a file is; it is not written, and not locked unless somebody has it open. `undefined` when it is empty.
 *
 * With a log beside it the file alone may be half of what it is: a checkpoint is under way, or its process was killed.
 * Who reads it alone then finds pages that do not fit, and would call a journal corrupt that is whole.
 */
export const inspect = (builtins: Builtins, path: string): Layout | undefined => {
  const size = factsOf(builtins, path)?.size ?? 0
  if (size === 0) return undefined
  if (size < smallestFile) throw notADatabase(path)
  const isOpen = (): boolean => hasMore(builtins, path)
  let layout
  try {
    layout = layoutBy((isOpen() ? undefined : immutable(builtins, path)) ?? plain(builtins, path))
  } catch (error) {
    // Somebody may have opened it in between.
    if (!isOpen()) throw error
    layout = layoutBy(plain(builtins, path))
  }
  return isBlank(layout) ? undefined : layout
}

/** Opens a file for writing, in today's layout. */
export const connectWriting = (builtins: Builtins, path: string): Connection =>
  opened(connect(builtins, path, false), (connection) => {
    connection.exec("PRAGMA synchronous = NORMAL")
    prepare(connection, path)
    connection.exec(`PRAGMA journal_size_limit = ${logBytes}`)
    // What is removed is overwritten where that costs no more pages.
    connection.exec("PRAGMA secure_delete = FAST")
    return connection
  })

const notADatabase = (path: string): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what: "not a SQLite database", code: "SQLITE_NOTADB" },
    `journal: ${path} was not opened: the file is not a SQLite database (SQLITE_NOTADB)`,
  )

const blank = (path: string): JournalError =>
  JournalError.because(
    { _tag: "Missing", path },
    `journal: ${path} was not opened: there is no journal in it yet, and it may not be written`,
  )

/** A connection that only reads. */
export interface Reading {
  readonly connection: Connection
  /** What the file was when it was taken for one that nobody writes to; then it must be asked for again and again. */
  readonly stamp: string | undefined
}

/** What tells whether somebody has begun to write into a file, or has. */
export const stampOf = (builtins: Builtins, path: string): string =>
  [path, logOf(path), rollbackOf(path)].map((file) => factsOf(builtins, file)?.stamp).join(" ")

/** Opens a file that somebody in this process writes to. */
export const connectBeside: (builtins: Builtins, path: string) => Connection = plain

/**
 * Opens a file that may not be written. While there is no write-ahead log nobody has it open, all is in the file, and
 * SQLite is told so: else it would make the files that a log needs, or fail where it may not; and a log that this user
 * made, its owner could perhaps not write to.
 */
export const connectReading = (builtins: Builtins, path: string): Reading => {
  takeBack(builtins, path)
  const stamp = hasMore(builtins, path) ? undefined : stampOf(builtins, path)
  const alone = stamp === undefined ? undefined : immutable(builtins, path)
  return opened(alone ?? plain(builtins, path), (connection) => {
    const layout = layoutOf(connection)
    if (isBlank(layout)) throw blank(path)
    checkLayout(layout, path)
    return { connection, stamp: alone === undefined ? undefined : stamp }
  })
}
