/** Classifies errors of SQLite, and converts them and those of the file system into `JournalError`s. */
import type { Position } from "../../Entry.ts"
import { corruptEntryError } from "../../entryCodec.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalErrorReason } from "../../JournalErrorReason.ts"
import { defined } from "../../../base/defined.ts"
import { errorMessage } from "../../../base/errorMessage.ts"
import { hasResultCode, property, resultCode, resultName } from "../../../sql/sqliteResult.ts"
import { descriptorShortage } from "./descriptorShortage.ts"

/** The reason for an error, and the text that replaces the original in the message. */
interface Explanation {
  readonly tag: "Locked" | "ReadOnly" | "Full" | "Corrupt" | "Missing" | "Unavailable"
  readonly what: string
}

const locked: Explanation = { tag: "Locked", what: "another connection has locked it" }
const missing: Explanation = { tag: "Missing", what: "it does not exist" }
const notWritable: Explanation = { tag: "ReadOnly", what: "it may not be written" }
const notOpenable: Explanation = { tag: "ReadOnly", what: "it can only be opened where it may be written" }
const diskFull: Explanation = { tag: "Full", what: "the disk is full" }
const outOfDescriptors: Explanation = {
  tag: "Unavailable",
  what: "this process has no free file descriptors; close some, or raise its limit (ulimit -n)",
}
const systemOutOfDescriptors: Explanation = { tag: "Unavailable", what: "the system has no free file descriptors" }

export const damagedPage = "a page of the file is damaged"

export const notADatabase = "the file is not a SQLite database"

const explanations = new Map<number, Explanation>([
  [3, notWritable],
  [5, locked],
  [6, locked],
  [8, notWritable],
  [11, { tag: "Corrupt", what: damagedPage }],
  [13, diskFull],
  [14, notOpenable],
  [15, locked],
  [26, { tag: "Corrupt", what: notADatabase }],
])

const fileErrors = new Map<string, Explanation>([
  ["ENOENT", missing],
  ["ENOTDIR", missing],
  ["EACCES", notWritable],
  ["EPERM", notWritable],
  ["EROFS", notWritable],
  ["ENOSPC", diskFull],
  ["EDQUOT", diskFull],
  ["EMFILE", outOfDescriptors],
  ["ENFILE", systemOutOfDescriptors],
])

/** SQLITE_IOERR_SHMSIZE: the index of the write-ahead log cannot grow, because the disk is full. */
const ioErrShmSize = 4874

const notCapable = "NotCapable"

/** The code with which `node:sqlite` refuses an integer beyond 2^53. The store never writes one. */
const outOfRange = "ERR_OUT_OF_RANGE"

export const fileErrorCode = (error: unknown): string | undefined => {
  const code = property(error, "code")
  if (typeof code === "string" && /^E[A-Z0-9]+$/.test(code)) return code
  return property(error, "name") === notCapable ? notCapable : undefined
}

export const isCorrupt = (error: unknown): boolean =>
  hasResultCode(error, 11, 26) || property(error, "code") === outOfRange

const shortageBehind = (error: unknown, path: string): string | undefined =>
  hasResultCode(error, 14) ? descriptorShortage(path) : undefined

/** Whether the file cannot be opened in this mode, though it may be in another. */
export const isUnopenable = (error: unknown, path: string): boolean =>
  fileErrorCode(error) === notCapable ||
  hasResultCode(error, 8, 14) && shortageBehind(error, path) === undefined

export const entryOnDamagedPage = (position: Position, exception: unknown): JournalError =>
  corruptEntryError(position, damagedPage, exception)

const explain = (
  error: unknown,
  path: string,
): readonly [code: string | undefined, explanation: Explanation | undefined] => {
  if (property(error, "code") === outOfRange) {
    return [undefined, { tag: "Corrupt", what: "a number is larger than 2^53" }]
  }
  const extended = resultCode(error)
  const code = extended === undefined ? fileErrorCode(error) : shortageBehind(error, path)
  if (extended === undefined || code !== undefined) return [code, fileErrors.get(code ?? "")]
  return [resultName(extended), extended === ioErrShmSize ? diskFull : explanations.get(extended & 0xff)]
}

/**
 * The `JournalError` for what SQLite or the file system threw; a `JournalError` is returned unchanged. `tried` is the
 * start of its message, such as `"nothing was written to /tmp/journal.db"`.
 */
export const toJournalError = (tried: string, path: string, error: unknown): JournalError => {
  if (error instanceof JournalError) return error
  const [code, explanation] = explain(error, path)
  const coded = defined({ code })
  const what = explanation?.what ?? errorMessage(error)
  const tag = explanation?.tag ?? "Failed"
  const reason: JournalErrorReason = tag === "Corrupt"
    ? { _tag: tag, what, ...coded }
    : tag === "Missing"
    ? { _tag: tag, path, ...coded }
    : { _tag: tag, ...coded }
  return JournalError.because(reason, `journal: ${tried}: ${what}${code === undefined ? "" : ` (${code})`}`, error)
}
