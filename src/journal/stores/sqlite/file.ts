/**
 * Creates, checks and inspects the file of a SQLite journal, and names the log files that SQLite keeps beside it.
 *
 * A file that SQLite may have open is never opened here: closing it would drop the locks of every connection of this
 * process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
import { JournalError } from "../../JournalError.ts"
import { descriptorShortage } from "./descriptorShortage.ts"
import { fileErrorCode, toJournalError } from "./errors.ts"
import type { Builtins } from "./loadBuiltins.ts"

export interface FileStat {
  readonly size: number
  /** Differs for another file at the same path. */
  readonly identity: string
  /** Differs also after a change of the file. */
  readonly version: string
}

export const statFile = ({ fs }: Builtins, path: string): FileStat | undefined => {
  const stat = fs.statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  const identity = `${stat.dev} ${stat.ino}`
  return { size: stat.size, identity, version: `${identity} ${stat.size} ${stat.mtimeMs}` }
}

/** The write-ahead log: it exists while the file is open somewhere, or was not closed. */
export const walPath = (path: string): string => `${path}-wal`

/** The rollback journal of a writer without a write-ahead log; it stays if the writer is killed. */
export const rollbackJournalPath = (path: string): string => `${path}-journal`

const missing = (path: string, what: string, code: string, error?: unknown): JournalError =>
  JournalError.because({ _tag: "Missing", path, code }, `journal: ${path} was not opened: ${what} (${code})`, error)

const invalidPath = (path: string, what: string): JournalError =>
  JournalError.because({ _tag: "Invalid", field: "path" }, `journal: ${path} was not opened: ${what}`)

const createFile = ({ fs, path: paths }: Builtins, path: string): void => {
  try {
    fs.mkdirSync(paths.dirname(path), { recursive: true, mode: 0o700 })
    // Checked beforehand: an empty file that this process could not fill would remain.
    const code = descriptorShortage(path)
    if (code !== undefined) throw Object.assign(new Error(code), { code })
    // A journal holds the output of commands: only its owner may read it. SQLite gives its other files the same mode.
    fs.closeSync(fs.openSync(path, "wx", 0o600))
  } catch (error) {
    const code = fileErrorCode(error) ?? (error instanceof Error ? error.name : "unknown")
    if (code === "EEXIST" && fs.existsSync(path)) return
    const failure = toJournalError(`${path} was not created`, path, error)
    throw failure.reason._tag === "Full" || failure.reason._tag === "Unavailable"
      ? failure
      : missing(path, "it does not exist, and could not be created", code, error)
  }
}

/** Throws a {@link JournalError} for a path that SQLite would not take for a file. */
export const checkPath = (path: string): void => {
  if (path === "" || path === ":memory:") {
    throw invalidPath(
      path === "" ? "a file without a name" : path,
      "it names no file; for a journal in memory use MemoryJournal",
    )
  }
  if (path.includes("\0")) throw invalidPath(path, "a path cannot contain NUL")
}

export const ensureFile = (builtins: Builtins, path: string, create: boolean): void => {
  let stat
  try {
    stat = builtins.fs.statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw toJournalError(`${path} was not opened`, path, error)
  }
  if (stat?.isFile() === true) return
  if (stat !== undefined) throw invalidPath(path, "it is not a file")
  if (!create) throw missing(path, "it does not exist", "ENOENT")
  createFile(builtins, path)
}

const refusals: ReadonlyArray<string | undefined> = ["EACCES", "EPERM", "EROFS"]

/** Whether the file and its directory may be written, as far as the system reports it beforehand. */
export const isWritable = ({ fs, path: paths }: Builtins, path: string): boolean => {
  try {
    fs.accessSync(path, fs.constants.W_OK)
    fs.accessSync(paths.dirname(path), fs.constants.W_OK)
    return true
  } catch (error) {
    // On Deno the check itself may need more permissions than writing.
    return !refusals.includes(fileErrorCode(error))
  }
}
