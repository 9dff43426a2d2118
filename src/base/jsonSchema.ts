/** Converts a Schema to the JSON Schema (2020-12) of an object, without details that a model does not need. */
import type { JsonSchema } from "effect/JsonSchema"
import * as Schema from "effect/Schema"

/** Whether a value is an object that is not an array. */
export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value as an object; anything else as an empty one. */
export const toJsonObject = (value: unknown): Readonly<Record<string, unknown>> => isJsonObject(value) ? value : {}

/** A value as an array; anything else as an empty one. */
export const toJsonArray = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

/** The name of the definition to which a reference of Effect's leads: a JSON pointer (RFC 6901) in a URI fragment. */
export const definitionName = (reference: string): string =>
  decodeURIComponent(reference.replace("#/$defs/", "")).replaceAll("~1", "/").replaceAll("~0", "~")

/** The schema itself, or the definition to which it refers. */
export const resolveReference = (
  schema: Readonly<Record<string, unknown>>,
  definitions: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const { $ref: reference } = schema
  return typeof reference === "string" ? toJsonObject(definitions[definitionName(reference)]) : schema
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** An object without fields, as Effect writes it: anything but null. */
const anyObject = { not: { type: "null" } }

const simplifyAll = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((item) => isJsonObject(item) ? simplify(item) : item)
    : isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isJsonObject(item) ? simplify(item) : item]))
    : value

/** Keywords whose value is a schema, or schemas by name or in a list. */
const nestedIn: Readonly<Record<string, (value: unknown) => unknown>> = {
  additionalProperties: (value) => isJsonObject(value) ? simplify(value) : value,
  items: (value) => isJsonObject(value) ? simplify(value) : value,
  properties: simplifyAll,
  prefixItems: simplifyAll,
  anyOf: simplifyAll,
  oneOf: simplifyAll,
  allOf: simplifyAll,
}

/** The same schema, shorter: without the bounds of safe integers, and an array of one kind of items as such. */
const simplify = (schema: Readonly<Record<string, unknown>>): JsonSchema => {
  if (isSame(schema, anyObject)) return { type: "object", properties: {}, additionalProperties: false }
  const simple: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) continue
    if (key === "minimum" && value === Number.MIN_SAFE_INTEGER) continue
    simple[key] = nestedIn[key]?.(value) ?? value
  }
  // A non-empty array has its first item twice.
  const first = toJsonArray(simple["prefixItems"])
  if (first.length > 0 && first.length === simple["minItems"] && first.every((item) => isSame(item, simple["items"]))) {
    delete simple["prefixItems"]
  }
  return simple
}

/**
 * The JSON Schema of a Schema, with its definitions in `$defs`. With `"error"` an object allows no other fields. A reference at
 * the root is resolved: tools must be described by an object.
 */
export const jsonSchemaOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): JsonSchema => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const { $ref: reference } = document.schema
  const name = typeof reference === "string" ? definitionName(reference) : undefined
  const root = simplify(resolveReference(document.schema, document.definitions))
  const definitions = Object.entries(document.definitions)
  // The definition of the root is needed only where the schema refers to itself.
  const uses = name === undefined ? 0 : JSON.stringify(document).split(JSON.stringify(reference)).length - 1
  const needed = definitions.filter(([key]) => key !== name || uses > 1)
  return needed.length === 0
    ? root
    : { ...root, $defs: Object.fromEntries(needed.map(([key, definition]) => [key, simplify(definition)])) }
}
