/** Describes in words the constraints for which a dialect of JSON Schema has no keyword. */
import type { JsonSchema } from "effect/JsonSchema"
import { isJsonObject } from "../../base/jsonSchema.ts"

/** Keywords that compose a schema from others. */
export const structure: ReadonlyArray<string> = [
  "$ref",
  "anyOf",
  "oneOf",
  "allOf",
  "properties",
  "required",
  "items",
  "prefixItems",
  "not",
]
  .concat("additionalProperties", "patternProperties", "propertyNames", "$defs")

export const isNull = (schema: unknown): boolean => isJsonObject(schema) && schema["type"] === "null"

/** A part of a schema that a dialect cannot express at all. */
export interface UnsupportedPart {
  /** Path in the arguments: `edits[].options`. */
  readonly path: string
  /** Names the value, and what to write instead. */
  readonly what: string
}

const words: Readonly<Record<string, (value: unknown) => string>> = {
  contentEncoding: (value) => `encoded as ${String(value)}`,
  enum: (value) =>
    `one of ${Array.isArray(value) ? value.map((item) => JSON.stringify(item)).join(", ") : String(value)}`,
  exclusiveMaximum: (value) => `less than ${String(value)}`,
  exclusiveMinimum: (value) => `more than ${String(value)}`,
  format: (value) => `format ${String(value)}`,
  maxLength: (value) => `at most ${String(value)} characters`,
  maximum: (value) => `at most ${String(value)}`,
  minLength: (value) => `at least ${String(value)} characters`,
  minProperties: (value) => `with at least ${String(value)} of its fields`,
  minimum: (value) => `at least ${String(value)}`,
  multipleOf: (value) => `a multiple of ${String(value)}`,
  pattern: (value) => `matching ${String(value)}`,
  uniqueItems: () => "no equal items",
}

/** Keywords that do not restrict values. */
const notes: ReadonlySet<string> = new Set(["$schema", "$defs", "default", "examples", "title", "$comment"])

/**
 * Keeps the keywords of a schema that a dialect has, and adds the others to the description. The Schema of the spell
 * still checks all of them when it decodes.
 */
export const keepKeywords = (schema: JsonSchema, isSupported: (key: string, value: unknown) => boolean): JsonSchema => {
  const kept: JsonSchema = {}
  const said: Array<string> = []
  for (const [key, value] of Object.entries(schema)) {
    if (isSupported(key, value)) kept[key] = value
    else if (!notes.has(key)) said.push(words[key]?.(value) ?? `${key}: ${JSON.stringify(value)}`)
  }
  if (said.length === 0) return kept
  const { description } = schema
  const own = typeof description === "string" ? `${description} ` : ""
  return { ...kept, description: `${own}(${said.join(", ")})` }
}
