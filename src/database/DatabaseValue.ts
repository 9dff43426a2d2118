/** Types of cell and parameter values, and their lossless encoding as JSON. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

/**
 * A value of a cell or of a parameter. Whole numbers beyond 2^53 are bigints; decimals, dates, times and timestamps are text
 * (ISO 8601); a JSON value, and an array of PostgreSQL, is in an object: `{ json: [1, 2] }`.
 */
export type DatabaseValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | { readonly json: Schema.Json }

/** JSON has no bigints, no bytes, and neither NaN, infinities nor -0. */
const Encoded = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.Finite,
  Schema.String,
  Schema.Struct({ integer: Schema.String.check(Schema.isPattern(/^-?\d+$/)) }),
  Schema.Struct({ float: Schema.Literals(["NaN", "Infinity", "-Infinity", "-0"]) }),
  Schema.Struct({ bytes: Schema.Uint8ArrayFromBase64 }),
  Schema.Struct({ json: Schema.Json }),
])

const Value = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.Number,
  Schema.BigInt,
  Schema.String,
  Schema.Uint8Array,
  Schema.Struct({ json: Schema.Json }),
])

const decode = (encoded: typeof Encoded.Type): DatabaseValue => {
  if (typeof encoded !== "object" || encoded === null) return encoded
  if ("integer" in encoded) return BigInt(encoded.integer)
  if ("float" in encoded) return Number(encoded.float)
  return "bytes" in encoded ? encoded.bytes : encoded
}

const encode = (value: DatabaseValue): typeof Encoded.Type => {
  if (typeof value === "bigint") return { integer: String(value) }
  if (value instanceof Uint8Array) return { bytes: value }
  if (typeof value !== "number" || (Number.isFinite(value) && !Object.is(value, -0))) return value
  return { float: value > 0 ? "Infinity" : value < 0 ? "-Infinity" : value === 0 ? "-0" : "NaN" }
}

/** Schema of a {@link DatabaseValue}. */
export const DatabaseValue: Schema.Codec<DatabaseValue, unknown> = Encoded.pipe(
  Schema.decodeTo(Value, { decode: SchemaGetter.transform(decode), encode: SchemaGetter.transform(encode) }),
)

export const integerValue = (integer: bigint): number | bigint =>
  Number.isSafeInteger(Number(integer)) ? Number(integer) : integer
