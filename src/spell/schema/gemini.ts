/**
 * Rewrites JSON Schema to the subset of OpenAPI 3.0 that Gemini accepts for the parameters of functions.
 *
 * Source: https://ai.google.dev/api/caching#Schema
 */
import type { JsonSchema } from "effect/JsonSchema"
import { definitionName, isJsonObject, resolveReference, toJsonArray, toJsonObject } from "../../base/jsonSchema.ts"
import { isNull, keepKeywords, structure, type UnsupportedPart } from "./constraints.ts"

const keywords: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "pattern",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
])
/** Converts exclusive integer bounds to inclusive ones, because the dialect has no others. */
const inclusive = ({ exclusiveMaximum, exclusiveMinimum, ...schema }: JsonSchema): JsonSchema => ({
  ...schema,
  ...(typeof exclusiveMinimum === "number" ? { minimum: exclusiveMinimum + 1 } : undefined),
  ...(typeof exclusiveMaximum === "number" ? { maximum: exclusiveMaximum - 1 } : undefined),
})

/**
 * The schema for Gemini, `undefined` where there are no parameters. Parts that Gemini cannot express are added to
 * `unsupported`.
 */
export const toGeminiSchema = (root: JsonSchema, unsupported: Array<UnsupportedPart>): JsonSchema | undefined => {
  const definitions = toJsonObject(root["$defs"])

  const rewrite = (schema: JsonSchema, path: string, open: ReadonlyArray<string>): JsonSchema => {
    const refuse = (what: string): JsonSchema => {
      unsupported.push({ path, what })
      return {}
    }
    const reference = schema["$ref"]
    if (typeof reference === "string") {
      const name = definitionName(reference)
      if (open.includes(name)) return refuse(`a struct that contains itself (${name}); use a list with ids of parents`)
      return rewrite(resolveReference(schema, definitions), path, [...open, name])
    }
    if ("allOf" in schema || "not" in schema) return refuse("a combination (allOf, not); write it as one struct")
    const bare = Object.fromEntries(Object.entries(schema).filter(([key]) => !structure.includes(key)))
    const values = toJsonArray(bare["enum"])
    const kept = keepKeywords(
      bare["type"] === "integer" ? inclusive(bare) : bare,
      (key, value) =>
        keywords.has(key) || (key === "format" && value === "date-time") ||
        // In Gemini's dialect only text can have a list of values.
        (key === "enum" && values.every((item) => typeof item === "string")),
    )
    const branches = schema["anyOf"] ?? schema["oneOf"]
    if (Array.isArray(branches)) {
      const others = branches.filter((branch) => !isNull(branch)).map((branch) =>
        rewrite(toJsonObject(branch), path, open)
      )
      const optional = others.length < branches.length ? { nullable: true } : {}
      const [only] = others
      return others.length === 1 ? { ...only, ...kept, ...optional } : { ...kept, ...optional, anyOf: others }
    }
    if (schema["type"] === "object") {
      const { additionalProperties, patternProperties, properties, propertyNames, required } = schema
      if (isJsonObject(additionalProperties) || (patternProperties ?? propertyNames) !== undefined) {
        return refuse("a record with any keys; use an array of structs with a key and a value")
      }
      const entries = Object.entries(toJsonObject(properties))
      if (entries.length === 0) return path === "" ? kept : refuse("a struct without fields; leave it out")
      const rewritten = entries.map(([name, property]): readonly [string, JsonSchema] => [
        name,
        rewrite(toJsonObject(property), path === "" ? name : `${path}.${name}`, open),
      ])
      const names = toJsonArray(required)
      return {
        ...kept,
        properties: Object.fromEntries(rewritten),
        ...(names.length === 0 ? undefined : { required: names }),
      }
    }
    if (schema["type"] === "array") {
      if ("prefixItems" in schema) return refuse("a tuple; use a struct, or an array of one type")
      if (!isJsonObject(schema["items"])) return refuse("an array of any values; give its items a type")
      return { ...kept, items: rewrite(schema["items"], `${path}[]`, open) }
    }
    return "type" in schema ? kept : refuse("any value; give it a type, or take JSON in a string")
  }

  const rewritten = rewrite(root, "", [])
  return "properties" in rewritten ? rewritten : undefined
}
