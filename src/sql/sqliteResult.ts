/**
 * Reads the result code of an error of `node:sqlite`.
 *
 * Node and Bun set SQLite's extended result code as `errcode` on every error. Deno sets it only where a prepared statement
 * failed; elsewhere the message has to be recognised.
 *
 * Source: https://www.sqlite.org/rescode.html
 */
import { errorMessage } from "../base/errorMessage.ts"

/** Primary result codes, with the text of `sqlite3_errstr`; codes that are only named have no text. */
const resultCodes = new Map<number, readonly [name: string, text?: string]>([
  [1, ["SQLITE_ERROR"]],
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
  [18, ["SQLITE_TOOBIG", "string or blob too big"]],
  [19, ["SQLITE_CONSTRAINT"]],
  [20, ["SQLITE_MISMATCH", "datatype mismatch"]],
  [23, ["SQLITE_AUTH", "not authorized"]],
  [25, ["SQLITE_RANGE", "column index out of range"]],
  [26, ["SQLITE_NOTADB", "file is not a database"]],
])

/** A property of a thrown value, which may be of any kind. */
export const property = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined

/** SQLite's extended result code of an error; `undefined` if it is not SQLite's. */
export const resultCode = (error: unknown): number | undefined => {
  const code = property(error, "errcode")
  if (typeof code === "number") return code
  const message = errorMessage(error)
  for (const [primary, [, text]] of resultCodes) if (text !== undefined && message.startsWith(text)) return primary
  return undefined
}

/** The name of the primary code of a result code, such as `SQLITE_BUSY`. */
export const resultName = (code: number): string => resultCodes.get(code & 0xff)?.[0] ?? `SQLITE ${code}`

/** Whether SQLite's primary result code is one of `codes`. */
export const hasResultCode = (error: unknown, ...codes: ReadonlyArray<number>): boolean => {
  const code = resultCode(error)
  return code !== undefined && codes.includes(code & 0xff)
}

/** Whether another connection holds a lock, so that a retry may succeed. */
export const isBusy = (error: unknown): boolean => hasResultCode(error, 5, 6, 15)
