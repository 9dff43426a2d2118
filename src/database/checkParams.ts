/** Checks the parameters of a statement. */
import * as Schema from "effect/Schema"
import { kindOf } from "../base/OptionError.ts"
import { DatabaseValue } from "./DatabaseValue.ts"
import { DriverError } from "./DriverError.ts"

const isDatabaseValue = Schema.is(DatabaseValue)

const valueKinds = "null, a boolean, a number, a bigint, text, a Uint8Array, or { json: … }"

/** Describes a wrong parameter without its value, which may be secret; `undefined` for a valid parameter. */
const mistakeIn = (value: unknown): string | undefined => {
  if (isDatabaseValue(value)) return undefined
  if (value instanceof Date) return "is a Date, write its toISOString()"
  if (typeof value !== "object" || value === null) return `is ${kindOf(value)}`
  return "json" in value ? "has no JSON in json" : `is ${kindOf(value)}, write { json: … }`
}

/** Throws a `DriverError`. `statement`: its index in a transaction. */
export const checkParams = (
  params: ReadonlyArray<DatabaseValue>,
  statement?: number,
): ReadonlyArray<DatabaseValue> => {
  const refuse = (what: string): never => {
    throw new DriverError("InvalidRequest", what, { statement })
  }
  if (!Array.isArray(params)) refuse(`the parameters must be a list, got ${kindOf(params)}: write ["a", 1]`)
  // `forEach` would skip the holes of a list.
  for (const [at, value] of params.entries()) {
    const mistake = mistakeIn(value)
    if (mistake !== undefined) refuse(`parameter $${at + 1} ${mistake}; a parameter is ${valueKinds}`)
  }
  return params
}
