/** Runs work on a journal file, and converts errors of the file system into `JournalError`s. */
import * as Effect from "effect/Effect"
import { readErrorCode } from "../../../base/readErrorCode.ts"
import { defined } from "../../../base/defined.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalErrorReason } from "../../JournalErrorReason.ts"

// errno(3)
const explanations: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file may not grow further",
  EIO: "the disk failed",
  EISDIR: "it is a directory",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  ENOENT: "it does not exist",
  ENOSPC: "no space is left",
  ENOTDIR: "a part of its path is not a directory",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
}

const reasonOf = (code: string | undefined, path: string, writes: boolean): JournalErrorReason => {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return { _tag: "Full", code }
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return writes ? { _tag: "ReadOnly", code } : { _tag: "Failed", code }
    case "ENOENT":
    case "ENOTDIR":
      return { _tag: "Missing", path, code }
    case "EISDIR":
      return { _tag: "Corrupt", what: "it is a directory", code }
    case "EMFILE":
    case "ENFILE":
      return { _tag: "Unavailable", code }
    default:
      return { _tag: "Failed", ...defined({ code }) }
  }
}

export interface FailedOperation {
  /** The rest of the message: `was not opened` in `journal: PATH was not opened`. */
  readonly what: string
  readonly path: string
  readonly writes?: boolean
}

export const fsError = (error: unknown, { path, what, writes = true }: FailedOperation): JournalError => {
  if (error instanceof JournalError) return error
  const code = readErrorCode(error)
  const why = code === undefined ? "the system refused" : `${explanations[code] ?? "the system refused"} (${code})`
  return JournalError.because(reasonOf(code, path, writes), `journal: ${path} ${what}: ${why}`, error)
}

export const attemptFile = <A>(operation: FailedOperation, work: () => A): Effect.Effect<A, JournalError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (error) {
      return Effect.fail(fsError(error, operation))
    }
  })

export const corruptError = (path: string, what: string, position?: number): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, ...defined({ position }) },
    `journal: ${path} cannot be read${position === undefined ? "" : ` at entry ${position}`}: ${what}`,
  )
