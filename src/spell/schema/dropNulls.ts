/**
 * Removes properties that a model set to null because it had to give every property: strict tools have no optional
 * ones.
 */
import type { JsonSchema } from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import { isJsonObject, resolveReference, toJsonArray, toJsonObject } from "../../base/jsonSchema.ts"

const acceptsNull = (schema: Readonly<Record<string, unknown>>): boolean =>
  schema["type"] === "null" || toJsonArray(schema["enum"]).includes(null) ||
  [...toJsonArray(schema["anyOf"]), ...toJsonArray(schema["oneOf"])].some((branch) =>
    acceptsNull(toJsonObject(branch))
  ) ||
  // Any value: no keyword restricts it.
  !["type", "enum", "anyOf", "oneOf", "allOf", "$ref", "not"].some((key) => key in schema)

/** Whether an object can match a branch of a union: its literal fields have the branch's values. */
export const isMeant = (branch: Readonly<Record<string, unknown>>, value: Readonly<Record<string, unknown>>): boolean =>
  branch["type"] === "object" &&
  Object.entries(toJsonObject(branch["properties"])).every(([name, property]) => {
    const values = toJsonArray(toJsonObject(property)["enum"])
    return values.length !== 1 || values[0] === value[name]
  })

/** The value without nulls for optional properties that do not accept null. */
export const dropNulls = (root: JsonSchema): (value: Schema.Json) => Schema.Json => {
  const definitions = toJsonObject(root["$defs"])

  const drop = (given: Readonly<Record<string, unknown>>, value: Schema.Json): Schema.Json => {
    const schema = resolveReference(given, definitions)
    if (Array.isArray(value)) {
      const { items } = schema
      return isJsonObject(items) ? value.map((item) => drop(items, item)) : value
    }
    if (!isJsonObject(value)) return value
    const branches = [...toJsonArray(schema["anyOf"]), ...toJsonArray(schema["oneOf"])].map(toJsonObject)
    const meant = branches
      .map((branch) => resolveReference(branch, definitions))
      .find((branch) => isMeant(branch, value))
    if (meant !== undefined) return drop(meant, value)
    const properties = toJsonObject(schema["properties"])
    const required = toJsonArray(schema["required"])
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, item]) => {
        const property = properties[name]
        if (!isJsonObject(property)) return [[name, item]]
        return item === null && !required.includes(name) && !acceptsNull(property) ? [] : [[name, drop(property, item)]]
      }),
    )
  }
  return (value) => drop(root, value)
}
