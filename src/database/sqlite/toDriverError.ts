/** Makes a {@link DriverError} from an error of `node:sqlite`. */
import { errorMessage } from "../../base/errorMessage.ts"
import { resultCode, resultName } from "../../sql/sqliteResult.ts"
import type { DatabaseFaultKind } from "../DatabaseEntry.ts"
import { DriverError } from "../DriverError.ts"

const kinds: ReadonlyMap<number, DatabaseFaultKind> = new Map([
  [5, "Busy"],
  [6, "Busy"],
  [7, "TooLarge"],
  [8, "ReadOnly"],
  [14, "Unreachable"],
  [15, "Busy"],
  [18, "TooLarge"],
  [19, "Constraint"],
  [20, "Constraint"],
  [23, "NotAllowed"],
  [25, "InvalidRequest"],
])

/** The error; `failed` is its default kind, which depends on when it was thrown. */
export const toDriverError = (error: unknown, failed: "Failed" | "Syntax"): DriverError => {
  if (error instanceof DriverError) return error
  const code = resultCode(error)
  const message = errorMessage(error)
  if (code === undefined) return new DriverError(failed, message)
  const isRefused = /^(not authorized|authorization denied|access to .* is prohibited)/.test(message)
  const kind = isRefused ? "NotAllowed" : kinds.get(code & 0xff) ?? ((code & 0xff) === 1 ? failed : "Failed")
  return new DriverError(kind, message, { code: resultName(code) })
}
