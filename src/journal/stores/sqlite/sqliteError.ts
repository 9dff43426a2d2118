/**
 * What SQLite and the file system say, as errors of the journal.
 *
 * Node and Bun give SQLite's extended code as `errcode` with every error. Deno gives it only where a prepared statement
 * failed, and elsewhere its text alone.
 *
 * Source: https://www.sqlite.org/rescode.html
 *
 * @module
 */
import { JournalError } from "../../JournalError.ts"
import type { JournalErrorReason } from "../../JournalErrorReason.ts"

/** Primary result codes: name and text (`sqlite3_errstr`). */
const codes: ReadonlyMap<number, readonly [name: string, text: string]> = new Map([
  [3, ["SQLITE_PERM", "access permission denied"]],
  [5, ["SQLITE_BUSY", "database is locked"]],
  [6, ["SQLITE_LOCKED", "database table is locked"]],
  [7, ["SQLITE_NOMEM", "out of memory"]],
  [8, ["SQLITE_READONLY", "attempt to write a readonly database"]],
  [10, ["SQLITE_IOERR", "disk I/O error"]],
  [11, ["SQLITE_CORRUPT", "database disk image is malformed"]],
  [13, ["SQLITE_FULL", "database or disk is full"]],
  [14, ["SQLITE_CANTOPEN", "unable to open database file"]],
  [15, ["SQLITE_PROTOCOL", "locking protocol"]],
  [26, ["SQLITE_NOTADB", "file is not a database"]],
])

/** The file could not be made larger for the index of the write-ahead log: the disk is full. */
const ioErrShmSize = 4874

/** What Deno says when it was not allowed to. */
const notCapable = "NotCapable"

const property = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** The code of the file system's error. */
const fileCode = (error: unknown): string | undefined => {
  const code = property(error, "code")
  if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) return code
  return property(error, "name") === notCapable ? notCapable : undefined
}

/** SQLite's extended result code, where it can be told. */
const extendedCode = (error: unknown): number | undefined => {
  const given = property(error, "errcode")
  if (typeof given === "number") return given
  const message = messageOf(error)
  for (const [code, [, text]] of codes) if (message.startsWith(text)) return code
  return undefined
}

const primaryCode = (error: unknown): number | undefined => {
  const code = extendedCode(error)
  return code === undefined ? undefined : code & 0xff
}

/** Somebody else holds a lock: trying again helps. */
export const isBusy = (error: unknown): boolean => {
  const code = primaryCode(error)
  return code === 5 || code === 6 || code === 15
}

/** What `node:sqlite` says of a number that JavaScript cannot hold: none that the store writes is so large. */
const tooLarge = "ERR_OUT_OF_RANGE"

/** A page of the file is not what SQLite wrote, or no page at all. */
export const isCorrupt = (error: unknown): boolean => {
  const code = primaryCode(error)
  return code === 11 || code === 26 || property(error, "code") === tooLarge
}

/** It cannot be opened in this way; in another it may be. */
export const isUnopenable = (error: unknown): boolean => {
  const code = primaryCode(error)
  return code === 8 || code === 14 || fileCode(error) === notCapable
}

const reasonOfCode = (extended: number, code: string, error: unknown): readonly [JournalErrorReason, string] => {
  switch (extended & 0xff) {
    case 5:
    case 6:
    case 15:
      return [{ _tag: "Locked", code }, "somebody else holds it"]
    case 3:
    case 8:
      return [{ _tag: "ReadOnly", code }, "it may not be written"]
    case 14:
      return [{ _tag: "ReadOnly", code }, "it can only be opened where it may be written"]
    case 11:
      return [{ _tag: "Corrupt", what: "a page of the file", code }, "a page of the file is not what was written"]
    case 26:
      return [{ _tag: "Corrupt", what: "not a SQLite database", code }, "the file is not a SQLite database"]
    case 13:
      return [{ _tag: "Full", code }, "the disk is full"]
    default:
      return extended === ioErrShmSize
        ? [{ _tag: "Full", code }, "the disk is full"]
        : [{ _tag: "Failed", code }, messageOf(error)]
  }
}

/** What the file system said, by its code. */
const reasonOfFile = (code: string, path: string, error: unknown): readonly [JournalErrorReason, string] => {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return [{ _tag: "Missing", path, code }, "it is not there"]
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return [{ _tag: "ReadOnly", code }, "it may not be written"]
    case "ENOSPC":
    case "EDQUOT":
      return [{ _tag: "Full", code }, "the disk is full"]
    default:
      return [{ _tag: "Failed", code }, messageOf(error)]
  }
}

/**
 * An error of the journal: `tried` says what was attempted, such as `"nothing was written to /tmp/journal.db"`. One that
 * is a {@link JournalError} already stays as it is.
 */
export const journalError = (tried: string, path: string, error: unknown): JournalError => {
  if (error instanceof JournalError) return error
  if (property(error, "code") === tooLarge) {
    const what = "a number is larger than any that a journal has"
    return JournalError.because({ _tag: "Corrupt", what }, `journal: ${tried}: ${what}`, error)
  }
  const file = fileCode(error)
  const extended = extendedCode(error)
  const name = extended === undefined ? file : codes.get(extended & 0xff)?.[0] ?? `SQLITE ${extended}`
  const [reason, what] = extended !== undefined
    ? reasonOfCode(extended, name ?? "", error)
    : file !== undefined
    ? reasonOfFile(file, path, error)
    : [{ _tag: "Failed" as const }, messageOf(error)] as const
  return JournalError.because(reason, `journal: ${tried}: ${what}${name === undefined ? "" : ` (${name})`}`, error)
}
