/**
 * Rewrites JSON Schema to the subset that OpenAI accepts for strict tools.
 *
 * Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
import type { JsonSchema } from "effect/JsonSchema"
import { isJsonObject, toJsonArray, toJsonObject } from "../../base/jsonSchema.ts"
import { isNull, keepKeywords, structure, type UnsupportedPart } from "./constraints.ts"

const maxDepth = 10
const maxProperties = 5_000
const maxEnumValues = 1_000

const keywords: ReadonlySet<string> = new Set([
  "type",
  "description",
  "enum",
  "pattern",
  "multipleOf",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
])
const formats: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
])
/** The schema of an optional value: strict tools have no optional properties, so null stands for a missing one. */
const nullable = (schema: JsonSchema): JsonSchema => {
  if (toJsonArray(schema["anyOf"]).some(isNull)) return schema
  const { description, ...rest } = schema
  const described = description === undefined ? {} : { description }
  if (Array.isArray(rest["anyOf"])) return { ...rest, anyOf: [...rest["anyOf"], { type: "null" }], ...described }
  const { enum: values, type } = rest
  return typeof type === "string" && values === undefined && type !== "object"
    ? { ...rest, type: [type, "null"], ...described }
    : { anyOf: [rest, { type: "null" }], ...described }
}

/** The schema for OpenAI. Parts that OpenAI cannot express are added to `unsupported`. */
export const toOpenAiSchema = (root: JsonSchema, unsupported: Array<UnsupportedPart>): JsonSchema => {
  let properties = 0
  let enumValues = 0

  const rewrite = (schema: JsonSchema, path: string, depth: number): JsonSchema => {
    const refuse = (what: string): JsonSchema => {
      unsupported.push({ path, what })
      return {}
    }
    if (depth > maxDepth) return refuse(`more than ${maxDepth} levels; flatten it`)
    // In OpenAI's dialect a reference has no sibling keywords.
    if (typeof schema["$ref"] === "string") return { $ref: schema["$ref"] }
    if ("allOf" in schema || "not" in schema) return refuse("a combination (allOf, not); write it as one struct")
    const bare = Object.fromEntries(Object.entries(schema).filter(([key]) => !structure.includes(key)))
    enumValues += toJsonArray(bare["enum"]).length
    if (enumValues > maxEnumValues) return refuse(`more than ${maxEnumValues} values to choose from; take a string`)
    const kept = keepKeywords(bare, (key, value) => keywords.has(key) || (key === "format" && formats.has(value)))
    const branches = schema["anyOf"] ?? schema["oneOf"]
    if (Array.isArray(branches)) {
      return { ...kept, anyOf: branches.map((branch) => rewrite(toJsonObject(branch), path, depth)) }
    }
    if (schema["type"] === "object") return { ...kept, ...object(schema, path, depth, refuse) }
    if (schema["type"] === "array") {
      if ("prefixItems" in schema) return refuse("a tuple; use a struct, or an array of one type")
      if (!isJsonObject(schema["items"])) return refuse("an array of any values; give its items a type")
      return { ...kept, items: rewrite(schema["items"], `${path}[]`, depth + 1) }
    }
    return "type" in schema || "enum" in schema ? kept : refuse("any value; give it a type, or take JSON in a string")
  }

  const object = (
    schema: JsonSchema,
    path: string,
    depth: number,
    refuse: (what: string) => JsonSchema,
  ): JsonSchema => {
    const { additionalProperties, patternProperties, propertyNames, required } = schema
    if (isJsonObject(additionalProperties) || (patternProperties ?? propertyNames) !== undefined) {
      return refuse("a record with any keys; use an array of structs with a key and a value")
    }
    const entries = Object.entries(toJsonObject(schema["properties"]))
    properties += entries.length
    if (properties > maxProperties) return refuse(`more than ${maxProperties} properties`)
    const rewritten = entries.map(([name, property]): readonly [string, JsonSchema] => {
      const strict = rewrite(toJsonObject(property), path === "" ? name : `${path}.${name}`, depth + 1)
      return [name, toJsonArray(required).includes(name) ? strict : nullable(strict)]
    })
    return {
      properties: Object.fromEntries(rewritten),
      required: entries.map(([name]) => name),
      additionalProperties: false,
    }
  }

  const rewritten = rewrite(root, "", 1)
  const definitions = Object.entries(toJsonObject(root["$defs"]))
  return definitions.length === 0 ? rewritten : {
    ...rewritten,
    $defs: Object.fromEntries(definitions.map(([name, schema]) => [name, rewrite(toJsonObject(schema), name, 2)])),
  }
}
