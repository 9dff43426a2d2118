/**
 * Converts errors of SQLite and of the file system into `JournalError`s.
 *
 * Node and Bun set SQLite's extended result code as `errcode` on every error. Deno sets it only where a prepared statement
 * failed; elsewhere the message has to be recognised.
 *
 * Source: https://www.sqlite.org/rescode.html
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import { corruptEntryError } from "../../entryCodec.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalErrorReason } from "../../JournalErrorReason.ts"

type SimpleTag = "Locked" | "ReadOnly" | "Full"

interface ResultCode {
  readonly name: string
  /** What `sqlite3_errstr` returns. */
  readonly text: string
  readonly tag?: SimpleTag | "Corrupt"
  /** The explanation in our message. Default: what SQLite says. */
  readonly what?: string
}

const lockedByOther = { tag: "Locked", what: "another connection has locked it" } as const
const notWritable = { tag: "ReadOnly", what: "it may not be written" } as const
const diskFull = { tag: "Full", what: "the disk is full" } as const

/** Explains an unreadable page. */
const damagedPage = "a page of the file is damaged"

/** Explains a file that is no database. */
export const notADatabase = "the file is not a SQLite database"

/** Primary result codes. */
const resultCodes: ReadonlyMap<number, ResultCode> = new Map<number, ResultCode>([
  [3, { name: "SQLITE_PERM", text: "access permission denied", ...notWritable }],
  [5, { name: "SQLITE_BUSY", text: "database is locked", ...lockedByOther }],
  [6, { name: "SQLITE_LOCKED", text: "database table is locked", ...lockedByOther }],
  [7, { name: "SQLITE_NOMEM", text: "out of memory" }],
  [8, { name: "SQLITE_READONLY", text: "attempt to write a readonly database", ...notWritable }],
  [10, { name: "SQLITE_IOERR", text: "disk I/O error" }],
  [11, { name: "SQLITE_CORRUPT", text: "database disk image is malformed", tag: "Corrupt", what: damagedPage }],
  [13, { name: "SQLITE_FULL", text: "database or disk is full", ...diskFull }],
  [14, {
    name: "SQLITE_CANTOPEN",
    text: "unable to open database file",
    tag: "ReadOnly",
    what: "it can only be opened where it may be written",
  }],
  [15, { name: "SQLITE_PROTOCOL", text: "locking protocol", ...lockedByOther }],
  [26, { name: "SQLITE_NOTADB", text: "file is not a database", tag: "Corrupt", what: notADatabase }],
])

/** SQLITE_IOERR_SHMSIZE: the index of the write-ahead log cannot grow, because the disk is full. */
const ioErrShmSize = 4874

/** The name of Deno's error for a missing permission. */
const notCapable = "NotCapable"

/** The code with which `node:sqlite` refuses an integer beyond 2^53. The store never writes one. */
const outOfRange = "ERR_OUT_OF_RANGE"

const property = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

const messageOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** The code of a file system error, if it is one. */
export const fileErrorCode = (error: unknown): string | undefined => {
  const code = property(error, "code")
  if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) return code
  return property(error, "name") === notCapable ? notCapable : undefined
}

const extendedCode = (error: unknown): number | undefined => {
  const code = property(error, "errcode")
  if (typeof code === "number") return code
  const message = messageOf(error)
  for (const [primary, { text }] of resultCodes) if (message.startsWith(text)) return primary
  return undefined
}

/** Whether SQLite's primary result code is one of `codes`. */
const hasResultCode = (error: unknown, ...codes: ReadonlyArray<number>): boolean => {
  const code = extendedCode(error)
  return code !== undefined && codes.includes(code & 0xff)
}

/** Whether another connection holds a lock, so that a retry may succeed. */
export const isBusy = (error: unknown): boolean => hasResultCode(error, 5, 6, 15)

/** Whether a page of the file is damaged, or is no page at all. */
export const isCorrupt = (error: unknown): boolean =>
  hasResultCode(error, 11, 26) || property(error, "code") === outOfRange

/** Whether the file cannot be opened in this mode, though it may be in another. */
export const isUnopenable = (error: unknown): boolean =>
  hasResultCode(error, 8, 14) || fileErrorCode(error) === notCapable

/** An entry on a page that SQLite cannot read. */
export const entryOnDamagedPage = (position: Position, exception: unknown): JournalError =>
  corruptEntryError(position, damagedPage, exception)

const fileErrors: Readonly<Record<string, { readonly tag: SimpleTag | "Missing"; readonly what: string }>> = {
  ENOENT: { tag: "Missing", what: "it is not there" },
  ENOTDIR: { tag: "Missing", what: "it is not there" },
  EACCES: notWritable,
  EPERM: notWritable,
  EROFS: notWritable,
  ENOSPC: diskFull,
  EDQUOT: diskFull,
}

const explain = (error: unknown, path: string): readonly [reason: JournalErrorReason, what: string, code?: string] => {
  if (property(error, "code") === outOfRange) {
    const what = "a number is larger than any that a journal has"
    return [{ _tag: "Corrupt", what }, what]
  }
  const extended = extendedCode(error)
  const code = extended === undefined
    ? fileErrorCode(error)
    : resultCodes.get(extended & 0xff)?.name ?? `SQLITE ${extended}`
  if (code === undefined) return [{ _tag: "Failed" }, messageOf(error)]
  const { tag = "Failed", what = messageOf(error) } = extended === undefined
    ? fileErrors[code] ?? {}
    : extended === ioErrShmSize
    ? diskFull
    : resultCodes.get(extended & 0xff) ?? {}
  const reason: JournalErrorReason = tag === "Corrupt"
    ? { _tag: tag, what, code }
    : tag === "Missing"
    ? { _tag: tag, path, code }
    : { _tag: tag, code }
  return [reason, what, code]
}

/**
 * The `JournalError` for what SQLite or the file system threw; a `JournalError` is returned unchanged. `tried` is the
 * start of its message, such as `"nothing was written to /tmp/journal.db"`.
 */
export const toJournalError = (tried: string, path: string, error: unknown): JournalError => {
  if (error instanceof JournalError) return error
  const [reason, what, code] = explain(error, path)
  return JournalError.because(reason, `journal: ${tried}: ${what}${code === undefined ? "" : ` (${code})`}`, error)
}
