/**
 * The file of the journal, and those beside it.
 *
 * No file that SQLite may have open is ever opened here: closing it would take away the locks of every connection of
 * this process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import type { Builtins } from "./driver.ts"
import { journalError } from "./sqliteError.ts"

const missing = (path: string, what: string, code: string, error?: unknown): JournalError =>
  JournalError.because({ _tag: "Missing", path, code }, `journal: ${path} was not opened: ${what} (${code})`, error)

const codeOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  return typeof code === "string" ? code : error instanceof Error ? error.name : "unknown"
}

/** What is known of a file without opening it. */
export interface FileFacts {
  readonly size: number
  /** Another file when this is different. */
  readonly identity: string
  /** Another one, or changed, when this is different. */
  readonly stamp: string
}

/** The file at a path; `undefined` when there is none. */
export const factsOf = ({ fs }: Builtins, path: string): FileFacts | undefined => {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const identity = `${stat.dev} ${stat.ino}`
  return { size: stat.size, identity, stamp: `${identity} ${stat.size} ${stat.mtimeMs}` }
}

/** The write-ahead log of a file; there is one while it is open somewhere, or was not closed. */
export const logOf = (path: string): string => `${path}-wal`

/** The rollback journal of a file that a writer without a write-ahead log has; it is left there when that was killed. */
export const rollbackOf = (path: string): string => `${path}-journal`

const makeFile = ({ fs, path: paths }: Builtins, path: string): void => {
  try {
    fs.mkdirSync(paths.dirname(path), { recursive: true, mode: 0o700 })
    // Only for its owner: a journal holds what commands print. The files beside it get the same mode from SQLite.
    fs.closeSync(fs.openSync(path, "wx", 0o600))
  } catch (error) {
    const code = codeOf(error)
    if (code === "EEXIST" && fs.existsSync(path)) return
    const full = journalError(`${path} was not made`, path, error)
    throw full.reason._tag === "Full" ? full : missing(path, "it is not there, and could not be made", code, error)
  }
}

const notAFile = (path: string, what: string): JournalError =>
  JournalError.because({ _tag: "Invalid", field: "path" }, `journal: ${path} was not opened: ${what}`)

/** Refuses what SQLite has a meaning of its own for: a file of that name is not what was meant. */
export const checkPath = (path: string): void => {
  if (path === "" || path === ":memory:") {
    throw notAFile(path === "" ? "a file without a name" : path, "it is no file; a journal in memory is MemoryJournal")
  }
}

/** Sees to it that there is a file. */
export const ensureFile = (builtins: Builtins, path: string, create: boolean): void => {
  const { fs } = builtins
  if (path.includes("\0")) throw notAFile(path, "a path has no NUL")
  let stat
  try {
    stat = fs.statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw journalError(`${path} was not opened`, path, error)
  }
  if (stat === undefined) {
    if (!create) throw missing(path, "it is not there", "ENOENT")
    return makeFile(builtins, path)
  }
  if (!stat.isFile()) throw notAFile(path, "it is not a file")
}

const refusals: ReadonlyArray<string> = ["EACCES", "EPERM", "EROFS"]

/** Whether a file, and what has to stand beside it, may be written, as far as the system tells beforehand. */
export const isWritable = ({ fs, path: paths }: Builtins, path: string): boolean => {
  try {
    fs.accessSync(path, fs.constants.W_OK)
    fs.accessSync(paths.dirname(path), fs.constants.W_OK)
    return true
  } catch (error) {
    // Deno asks for more permissions to answer that than to do it.
    return !refusals.includes(codeOf(error))
  }
}

/** Bytes of a file; 0 when it is not there. */
export const bytesOf = (builtins: Builtins, path: string): number => factsOf(builtins, path)?.size ?? 0
