/**
 * What PostgreSQL and the way to it say, as errors of the journal.
 *
 * Source: PostgreSQL documentation, "Appendix A. PostgreSQL Error Codes".
 *
 * @module
 */
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { JournalError } from "../../JournalError.ts"
import type { JournalErrorReason } from "../../JournalErrorReason.ts"

/** What was tried, for a message, and where. */
export interface Tried {
  /** `"nothing was written"`, say. */
  readonly what: string
  readonly location: string
  /** Whether it was to change something. */
  readonly writes: boolean
}

/** The server's code (five characters), or the one of the system (ECONNREFUSED). */
export const codeOf = ({ reason: { cause } }: SqlError): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/** The system has codes of five characters too, such as EPIPE; of the server's none is one of letters that begins with E. */
const isSqlState = (code: string): boolean => /^(?!E[A-Z]{4}$)[0-9A-Z]{5}$/.test(code)

/** The server ends connections, or takes none now: shut down, starting, too many of them, idle for too long. */
const away = new Set(["57P01", "57P02", "57P03", "57P05", "25P03", "53300"])

/** It is there and lost a race: the same again may go well. */
const raced = new Set(["40001", "40P01"])

/**
 * Whether the connection is gone or could not be made, and another may be had later. A certificate that is refused, or a
 * server without TLS, will be so again.
 */
export const isLost = (error: SqlError): boolean => {
  const code = codeOf(error)
  if (code !== undefined && isSqlState(code)) return code.startsWith("08") || away.has(code)
  const { reason } = error
  if (reason._tag !== "ConnectionError") return false
  if (reason.operation !== "connect") return true
  if (code === undefined) return /timed out|closed during startup/.test(reason.message ?? "")
  return /^E(?!RR_|PROTO|ACCES|PERM)/.test(code)
}

/** Whether the same again, on another connection if need be, may go well. */
export const isTransient = (error: SqlError): boolean => isLost(error) || raced.has(codeOf(error) ?? "")

/** The server did not answer in time. Nothing is known of what was asked. */
export const noAnswer = (millis: number): SqlError =>
  new SqlError({
    reason: new ConnectionError({
      cause: new Error(`no answer within ${millis} ms`),
      message: "no answer in time",
      operation: "query",
    }),
  })

const said = ({ reason }: SqlError): string =>
  reason.cause instanceof Error && reason.cause.message !== "" ? reason.cause.message : reason.message ?? reason._tag

/** The text for people. What the server says of a value (class 22) would quote it. */
const explain = (error: SqlError, code: string | undefined): string =>
  code?.startsWith("22") === true ? "the server refuses a value" : said(error)

const reasonOf = (error: SqlError, tried: Tried): readonly [reason: JournalErrorReason, text: string] => {
  const found = codeOf(error)
  const code = found === undefined ? undefined : { code: found }
  const text = explain(error, found)
  if (isLost(error)) return [{ _tag: "Unavailable", ...code }, `${tried.location} cannot be reached: ${text}`]
  switch (found) {
    case "53100":
      return [{ _tag: "Full", ...code }, `the disk of ${tried.location} is full`]
    case "25006":
      return [{ _tag: "ReadOnly", ...code }, `${tried.location} may only be read now`]
    case "42501":
      return tried.writes
        ? [{ _tag: "ReadOnly", ...code }, `${tried.location} may not be written by this user: ${text}`]
        : [{ _tag: "Failed", ...code }, text]
    case "55P03":
      return [{ _tag: "Locked", ...code }, `another writer held ${tried.location} for too long`]
    case "3D000":
    case "3F000":
    case "42P01":
      return [{ _tag: "Missing", path: tried.location, ...code }, text]
    case "XX001":
    case "XX002":
      return [{ _tag: "Corrupt", what: text, ...code }, text]
    default:
      return [{ _tag: "Failed", ...code }, text]
  }
}

/** The error of the journal for one of the client. */
export const journalErrorOf = (error: SqlError, tried: Tried): JournalError => {
  const [reason, text] = reasonOf(error, tried)
  const code = codeOf(error)
  return JournalError.because(
    reason,
    `journal: ${tried.what}: ${text}${code === undefined ? "" : ` (${code})`}`,
    `${error.reason._tag}: ${explain(error, code)}`,
  )
}

/** The journal is not what this store made. */
export const damaged = (tried: Tried, what: string, position?: number, code?: string): JournalError =>
  JournalError.because(
    {
      _tag: "Corrupt",
      what,
      ...(position === undefined ? undefined : { position }),
      ...(code === undefined ? undefined : { code }),
    },
    `journal: ${tried.what}: ${tried.location} is damaged: ${what}`,
  )

/** The Scope of the store has closed. */
export const closedError = (tried: Tried): JournalError =>
  JournalError.because({ _tag: "Closed" }, `journal: ${tried.what}: the journal is closed`)
