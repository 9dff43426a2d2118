/** Guesses the arguments that a model meant, for the example in a fault. They are only shown, never cast. */
import type { JsonSchema } from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import { isJsonObject, resolveReference, toJsonArray, toJsonObject } from "../../base/jsonSchema.ts"
import { findSimilar } from "../../base/findNearest.ts"
import { isMeant } from "./dropNulls.ts"

type Sub = Readonly<Record<string, unknown>>

const isArray = (value: Schema.Json): value is Schema.JsonArray => Array.isArray(value)

/** JSON in a string; `undefined` where it is other text. */
export const parseJsonText = (text: string): Schema.Json | undefined => {
  try {
    const value: Schema.Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** The name without differences of spelling: `first_line` and `FirstLine` are the same. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

const meantSpelling = (given: string, known: ReadonlyArray<string>): string | undefined =>
  known.find((name) => plainName(name) === plainName(given)) ?? findSimilar(given, known)

/** Names that other tools use for parameters, which are not similar to our names. */
const synonyms: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["args", ["arguments"]],
  ["cmd", ["command"]],
  ["file", ["path", "command"]],
  ["filepath", ["path"]],
])

/** The known name that an unknown one stands for, if any. */
export const meantName = (given: string, known: ReadonlyArray<string>): string | undefined =>
  synonyms.get(plainName(given))?.find((name) => known.includes(name)) ?? meantSpelling(given, known)

const typeOfValue = (value: Schema.Json): string =>
  value === null ? "null" : isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value

/** Whether a value has the type that a schema asks for. */
const hasType = ({ type }: Sub, value: Schema.Json): boolean => {
  const actual = typeOfValue(value)
  const types = Array.isArray(type) ? type : [type]
  return types.includes(actual) || (types.includes("integer") && Number.isInteger(value))
}

/** Names under which models nest the arguments again. */
const wrappers: ReadonlySet<string> = new Set(["arguments", "args", "input", "parameters", "params"])

const placeholder = (schema: Sub, name: string, definitions: Sub): Schema.Json => {
  const { anyOf, enum: values, minimum, exclusiveMinimum, type } = resolveReference(schema, definitions)
  const [first] = toJsonArray(values)
  if (typeof first === "string" || typeof first === "number" || typeof first === "boolean") return first
  const [branch] = toJsonArray(anyOf)
  if (branch !== undefined) return placeholder(toJsonObject(branch), name, definitions)
  switch (type) {
    case "integer":
    case "number":
      return typeof minimum === "number" ? minimum : typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : 1
    case "boolean":
      return true
    case "array":
    case "object":
      return repair(schema, type === "array" ? [] : {}, name, definitions)
    default:
      return `<${name}>`
  }
}

const repairObject = (schema: Sub, value: Schema.JsonObject, definitions: Sub): Schema.Json => {
  const properties = toJsonObject(schema["properties"])
  const known = Object.keys(properties)
  const [only, ...others] = Object.entries(value)
  if (only !== undefined && others.length === 0 && !known.includes(only[0]) && wrappers.has(only[0])) {
    const inner = typeof only[1] === "string" ? parseJsonText(only[1]) : only[1]
    if (isJsonObject(inner)) return repairObject(schema, inner, definitions)
  }
  const required = toJsonArray(schema["required"])
  const repaired = new Map<string, Schema.Json>()
  const add = (name: string, item: Schema.Json): void => {
    if (item === null && !required.includes(name)) return
    const property = toJsonObject(properties[name])
    repaired.set(
      name,
      item === null ? placeholder(property, name, definitions) : repair(property, item, name, definitions),
    )
  }
  for (const name of known) {
    const item = value[name]
    if (item !== undefined) add(name, item)
  }
  for (const [given, item] of Object.entries(value)) {
    if (known.includes(given)) continue
    const name = meantName(given, known.filter((key) => !repaired.has(key)))
    if (name !== undefined) add(name, item)
  }
  for (const name of required) {
    if (typeof name === "string" && !repaired.has(name)) {
      repaired.set(name, placeholder(toJsonObject(properties[name]), name, definitions))
    }
  }
  return Object.fromEntries(known.flatMap((name) => {
    const item = repaired.get(name)
    return item === undefined ? [] : [[name, item]]
  }))
}

/** The nearest number within the bounds of a schema, if these are inclusive or of integers. */
const withinBounds = (
  { exclusiveMaximum, exclusiveMinimum, maximum, minimum }: Sub,
  value: number,
): number => {
  const min = typeof minimum === "number"
    ? minimum
    : typeof exclusiveMinimum === "number"
    ? exclusiveMinimum + 1
    : value
  const max = typeof maximum === "number"
    ? maximum
    : typeof exclusiveMaximum === "number"
    ? exclusiveMaximum - 1
    : value
  return Math.max(min, Math.min(max, value))
}

const repair = (given: Sub, value: Schema.Json, name: string, definitions: Sub): Schema.Json => {
  const schema = resolveReference(given, definitions)
  const { enum: values, items, minItems, type } = schema
  const branches = [...toJsonArray(schema["anyOf"]), ...toJsonArray(schema["oneOf"])].map((branch) =>
    resolveReference(toJsonObject(branch), definitions)
  )
  if (branches.length > 0) {
    const branch = branches.find((one) => isJsonObject(value) ? isMeant(one, value) : hasType(one, value)) ??
      branches[0]
    return branch === undefined ? value : repair(branch, value, name, definitions)
  }
  const texts = toJsonArray(values).filter((item) => typeof item === "string")
  if (texts.length > 0) {
    return typeof value === "string" ? meantSpelling(value, texts) ?? texts[0] ?? value : texts[0] ?? value
  }
  if (type === "string") {
    return typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : typeof value === "string"
      ? value
      : `<${name}>`
  }
  const parsed = typeof value === "string" ? parseJsonText(value) ?? value : value
  if (type === "array") {
    const list = isArray(parsed) ? parsed : [parsed]
    const full = list.length === 0 && minItems === 1 ? [placeholder(toJsonObject(items), name, definitions)] : list
    return full.map((item) => repair(toJsonObject(items), item, name, definitions))
  }
  if (type === "object") return repairObject(schema, isJsonObject(parsed) ? parsed : {}, definitions)
  if ((type === "integer" || type === "number") && typeof parsed === "number") {
    return withinBounds(schema, type === "integer" ? Math.round(parsed) : parsed)
  }
  return hasType(schema, parsed) ? parsed : placeholder(schema, name, definitions)
}

/** The arguments that were probably meant; `<name>` stands for text that is missing. */
export const repairArguments = (schema: JsonSchema, input: Schema.Json): Schema.Json =>
  repair(schema, input, "", toJsonObject(schema["$defs"]))
