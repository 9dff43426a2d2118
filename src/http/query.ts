/** Parses values in the query and the headers of a request: flags, numbers, times and event ids. */
import * as Result from "effect/Result"
import type { HonoRequest } from "hono"
import { type HttpRefusal, refuse } from "./problem.ts"

const invalid = (name: string, what: string): HttpRefusal => refuse(400, "invalid", `the query's ${name} ${what}`)

/** `?name`, `?name=true` and `?name=1` are `true`, other values `false`. */
export const flagOf = (request: HonoRequest, name: string): boolean | undefined => {
  const value = request.query(name)
  return value === undefined ? undefined : ["", "true", "1"].includes(value)
}

export const wholeNumberOf = (request: HonoRequest, name: string): Result.Result<number | undefined, HttpRefusal> => {
  const value = request.query(name)
  if (value === undefined) return Result.succeed(undefined)
  return /^\d{1,15}$/.test(value) ? Result.succeed(Number(value)) : Result.fail(invalid(name, "is not a whole number"))
}

export const lastEventId = (request: HonoRequest): Result.Result<number | undefined, HttpRefusal> => {
  const header = request.header("last-event-id")
  // Browsers send an empty header before the first id.
  if (header === undefined || header === "") return wholeNumberOf(request, "after")
  return /^\d{1,15}$/.test(header)
    ? Result.succeed(Number(header))
    : Result.fail(refuse(400, "invalid", "last-event-id is not an id of this server"))
}

/** Parses a time: milliseconds since 1970, or a date and time of RFC 3339. */
export const timeOf = (request: HonoRequest, name: string): Result.Result<number | undefined, HttpRefusal> => {
  const value = request.query(name)
  if (value === undefined) return Result.succeed(undefined)
  const isDate = /^\d{4}-\d\d-\d\dT/.test(value)
  const time = /^\d{1,15}$/.test(value) ? Number(value) : isDate ? Date.parse(value) : Number.NaN
  return Number.isFinite(time)
    ? Result.succeed(time)
    : Result.fail(invalid(name, "is not a time: write milliseconds since 1970, or a date and time of RFC 3339"))
}
