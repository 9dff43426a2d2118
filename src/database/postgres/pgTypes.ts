/** Decodes PostgreSQL values, and counts the bytes that one answer loads into memory. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { viewOf } from "../../base/bytes.ts"
import { isTooDeep, maxDepth } from "../../base/isTooDeep.ts"
import { type DatabaseValue, integerValue } from "../DatabaseValue.ts"
import { DriverError } from "../DriverError.ts"

const { OID } = PgTypes
const micros = 1_000_000n
const dayMicros = 86_400n * micros

const seconds = (value: bigint): string => {
  const fraction = String(value % micros).padStart(6, "0").replace(/0+$/, "")
  return `${value / micros}${fraction === "" ? "" : `.${fraction}`}`
}

const timeText = (value: bigint): string => {
  const part = (each: bigint): string => String(each).padStart(2, "0")
  const [whole = "", fraction] = seconds(value % (60n * micros)).split(".")
  return `${part(value / (3_600n * micros))}:${part(value / (60n * micros) % 60n)}:${whole.padStart(2, "0")}${
    fraction === undefined ? "" : `.${fraction}`
  }`
}

/** The client formats days, because it supports all years of PostgreSQL, and `Date` does not. */
const timestampText = (zone: string) => (bytes: Uint8Array): string => {
  const value = viewOf(bytes).getBigInt64(0)
  if (value === 2n ** 63n - 1n) return "infinity"
  if (value === -(2n ** 63n)) return "-infinity"
  const ofDay = ((value % dayMicros) + dayMicros) % dayMicros
  const days = new Uint8Array(4)
  viewOf(days).setInt32(0, Number((value - ofDay) / dayMicros))
  return `${String(Result.getOrThrow(PgTypes.decode(days, OID.date, 1)))}T${timeText(ofDay)}${zone}`
}

const intervalText = (bytes: Uint8Array): string => {
  const view = viewOf(bytes)
  const value = view.getBigInt64(0)
  const [days, months] = [view.getInt32(8), view.getInt32(12)]
  const time = `${value < 0n ? "-" : ""}${seconds(value < 0n ? -value : value)}S`
  return `P${months === 0 ? "" : `${months}M`}${days === 0 ? "" : `${days}D`}${
    value === 0n && (months !== 0 || days !== 0) ? "" : `T${time}`
  }`
}

const readers: ReadonlyMap<number, (bytes: Uint8Array) => unknown> = new Map([
  [OID.timestamp, timestampText("")],
  [OID.timestamptz, timestampText("Z")],
  [OID.time, (bytes) => timeText(viewOf(bytes).getBigInt64(0))],
  [OID.interval, intervalText],
])

const isArray = (name: string): boolean => name.endsWith("Array")

export const readableTypes: ReadonlySet<number> = new Set(Object.values(OID))

/** JSON of the server, whose objects may have any names. */
class JsonCell {
  readonly json: unknown

  constructor(json: unknown) {
    this.json = json
  }
}

const toJson = (element: unknown): Schema.Json =>
  element === null || typeof element === "boolean" || typeof element === "string" ||
    (typeof element === "number" && Number.isFinite(element))
    ? element
    : element instanceof Uint8Array
    ? `\\x${Array.from(element, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
    : element instanceof JsonCell
    ? toJson(element.json)
    : Array.isArray(element)
    ? element.map(toJson)
    : typeof element === "object"
    ? Object.fromEntries(Object.entries(element).map(([name, value]) => [name, toJson(value)]))
    : String(element)

/** The value of a cell, as the registry of {@link makeTypes} gave it. Throws a `DriverError` for JSON nested too deep. */
export const toValue = (cell: unknown): DatabaseValue => {
  if (
    cell === null || typeof cell === "boolean" || typeof cell === "number" || typeof cell === "string" ||
    typeof cell === "bigint" || cell instanceof Uint8Array
  ) {
    return cell
  }
  if (isTooDeep(cell)) {
    throw new DriverError("TooLarge", `JSON of more than ${maxDepth} levels is not read; cast it to text: ::text`)
  }
  return { json: toJson(cell) }
}

/** The parameter of a value. JSON is sent as text, whose type the server takes from the statement. */
export const toParameter = (value: DatabaseValue): unknown =>
  typeof value === "object" && value !== null && !(value instanceof Uint8Array) ? JSON.stringify(value.json) : value

/** Number of bytes that a connection may still read into memory. */
export interface ReadBudget {
  left: number
}

/** The types of one connection. A value beyond the budget fails, and the client then closes the connection. */
export const makeTypes = (budget: ReadBudget): PgTypes.Registry => {
  const registry = PgTypes.makeRegistry()
  for (const [name, oid] of Object.entries(OID)) {
    if (isArray(name)) continue
    const isJson = oid === OID.json || oid === OID.jsonb
    const read = (bytes: Uint8Array): Result.Result<unknown, PgTypes.CodecError> => {
      const reader = readers.get(oid)
      if (reader !== undefined) return Result.succeed(reader(bytes))
      return Result.map(
        PgTypes.decode(bytes, oid, 1),
        (value) => isJson ? new JsonCell(value) : typeof value === "bigint" ? integerValue(value) : bytesOf(value),
      )
    }
    registry.register<unknown>(oid, {
      encode: (value) => PgTypes.encode(value, oid),
      decode: (bytes) => {
        budget.left -= bytes.length + 1
        return budget.left < 0 ? Result.fail(new PgTypes.CodecError({ message: "too many bytes" })) : read(bytes)
      },
    })
  }
  return registry
}

/** A copy, because the client's bytes are part of its receive buffer. */
const bytesOf = (value: unknown): unknown => value instanceof Uint8Array ? value.slice() : value
