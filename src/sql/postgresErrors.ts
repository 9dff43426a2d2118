/**
 * Classifies errors of the PostgreSQL client: a lost connection, a lost race.
 *
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import type { SqlError } from "effect/sql/SqlError"

/** The SQLSTATE of the server, or the code of the system (`ECONNREFUSED`). */
export const codeOf = ({ reason: { cause } }: SqlError): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/** Some codes of the system have five characters too, such as `EPIPE`; no SQLSTATE is `E` and four letters. */
const isSqlState = (code: string): boolean => /^(?!E[A-Z]{4}$)[0-9A-Z]{5}$/.test(code)

/** The server ends connections or accepts none: shutdown, crash, start, idle timeouts, too many connections. */
const serverAway = new Set(["57P01", "57P02", "57P03", "57P05", "25P03", "53300"])

/** The transaction lost a race: `serialization_failure`, `deadlock_detected`. */
const raceLost = new Set(["40001", "40P01"])

/**
 * Whether the connection is lost or could not be opened, and a later attempt may succeed, unlike after a refused
 * certificate or without TLS on the server.
 */
export const isLost = (error: SqlError): boolean => {
  const code = codeOf(error)
  if (code !== undefined && isSqlState(code)) return code.startsWith("08") || serverAway.has(code)
  const { reason } = error
  if (reason._tag !== "ConnectionError") return false
  if (reason.operation !== "connect") return true
  if (code === undefined) return /timed out|closed during startup/.test(reason.message ?? "")
  return /^E(?!RR_|PROTO|ACCES|PERM)/.test(code)
}

/** Whether the same operation may succeed later, if need be on another connection. */
export const isTransient = (error: SqlError): boolean => isLost(error) || raceLost.has(codeOf(error) ?? "")
