/**
 * Makes a {@link DriverError} from an error of the PostgreSQL client.
 *
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
import type { SqlError } from "effect/sql/SqlError"
import { errorMessage } from "../../base/errorMessage.ts"
import { codeOf, isLost } from "../../sql/postgresErrors.ts"
import type { DatabaseFaultKind } from "../DatabaseEntry.ts"
import { DriverError } from "../DriverError.ts"

/** Kinds by the start of an SQLSTATE; the first that fits. */
const kinds: ReadonlyArray<readonly [start: string, kind: DatabaseFaultKind]> = [
  ["08P01", "InvalidRequest"],
  ["25006", "ReadOnly"],
  ["42501", "NotAllowed"],
  ["28", "NotAllowed"],
  ["57014", "Cancelled"],
  ["40001", "Busy"],
  ["40P01", "Busy"],
  ["55P03", "Busy"],
  ["22", "InvalidRequest"],
  ["23", "Constraint"],
  ["42", "Syntax"],
  ["0A", "Syntax"],
  ["54", "TooLarge"],
  ["53200", "TooLarge"],
]

export const toDriverError = (error: SqlError, location: string): DriverError => {
  const code = codeOf(error)
  const { cause } = error.reason
  const what = cause instanceof Error ? errorMessage(cause) : error.reason.message ?? error.reason._tag
  const kind = kinds.find(([start]) => code?.startsWith(start))?.[1]
  if (kind !== undefined) return new DriverError(kind, what, { code })
  // The client refuses a parameter before it sends it.
  if (error.reason.message?.includes("Failed to encode") === true) return new DriverError("InvalidRequest", what)
  return isLost(error) || error.reason._tag === "ConnectionError"
    ? new DriverError("Unreachable", `${location} cannot be reached: ${what}`, { code })
    : new DriverError("Failed", what, { code })
}
