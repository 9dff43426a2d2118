/**
 * Converts errors of the PostgreSQL client into `JournalError`s.
 *
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { defined } from "../../../base/defined.ts"
import { codeOf, isLost } from "../../../sql/postgresErrors.ts"
import type { Position } from "../../Entry.ts"
import { JournalError } from "../../JournalError.ts"
import type { JournalErrorReason } from "../../JournalErrorReason.ts"

export interface Operation {
  /** The start of the message, such as `"nothing was written"`. */
  readonly tried: string
  readonly location: string
  readonly isWrite: boolean
}

/** Whether a page of a table or index is damaged (`data_corrupted`, `index_corrupted`). */
export const isDamage = (error: SqlError | JournalError): error is SqlError =>
  error._tag === "SqlError" && /^XX00[12]$/.test(codeOf(error) ?? "")

/** The server did not answer in time; whether it did its work is unknown. */
export const answerTimedOut = (millis: number): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: new Error(`no answer within ${millis} ms`),
      message: "no answer in time",
      operation: "query",
    }),
  })

/** The client's or server's text. For a bad value (class 22) the server's text would quote the value. */
const explain = ({ reason }: SqlError, code: string | undefined): string => {
  if (code?.startsWith("22") === true) return "the server refuses a value"
  const { cause } = reason
  return cause instanceof Error && cause.message !== "" ? cause.message : reason.message ?? reason._tag
}

const reasonOf = (error: SqlError, operation: Operation): readonly [reason: JournalErrorReason, what: string] => {
  const { isWrite, location } = operation
  const found = codeOf(error)
  const code = defined({ code: found })
  const what = explain(error, found)
  if (isLost(error)) return [{ _tag: "Unavailable", ...code }, `${location} cannot be reached: ${what}`]
  switch (found) {
    case "53100":
      return [{ _tag: "Full", ...code }, `the disk of ${location} is full`]
    case "25006":
      return [{ _tag: "ReadOnly", ...code }, `${location} may only be read now`]
    case "42501":
      return isWrite
        ? [{ _tag: "ReadOnly", ...code }, `${location} may not be written by this user: ${what}`]
        : [{ _tag: "Failed", ...code }, what]
    case "55P03":
      return [{ _tag: "Locked", ...code }, `another writer held ${location} for too long`]
    case "3D000":
    case "3F000":
    case "42P01":
      return [{ _tag: "Missing", path: location, ...code }, what]
    case "XX001":
    case "XX002":
      return [{ _tag: "Corrupt", what, ...code }, what]
    default:
      return [{ _tag: "Failed", ...code }, what]
  }
}

export const toJournalError = (error: SqlError, operation: Operation): JournalError => {
  const [reason, what] = reasonOf(error, operation)
  const code = codeOf(error)
  return JournalError.because(
    reason,
    `journal: ${operation.tried}: ${what}${code === undefined ? "" : ` (${code})`}`,
    `${error.reason._tag}: ${explain(error, code)}`,
  )
}

export const corruptJournal = (operation: Operation, what: string, position?: Position, code?: string): JournalError =>
  JournalError.because(
    { _tag: "Corrupt", what, ...defined({ position, code }) },
    `journal: ${operation.tried}: ${operation.location} is damaged: ${what}`,
  )

export const storeClosed = ({ tried }: Operation): JournalError =>
  JournalError.because({ _tag: "Closed" }, `journal: ${tried}: the journal is closed`)
