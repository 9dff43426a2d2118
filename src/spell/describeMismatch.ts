/**
 * Describes how the arguments of a model differ from what a spell expects, so that the model can mend its call.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { findNearest } from "../base/findNearest.ts"

/** Mistakes that a message names. */
const maxMistakes = 5

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The shape of an object for a model: `{ path: string, limit?: integer }`. */
export const describeShape = (schema: Schema.Constraint): string => {
  const { schema: root } = Schema.toJsonSchemaDocument(schema)
  const properties = objectOf(root["properties"])
  const required = Array.isArray(root["required"]) ? root["required"] : []
  const fields = Object.entries(properties).map(([name, property]) =>
    `${name}${required.includes(name) ? "" : "?"}: ${typeOf(objectOf(property))}`
  )
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
}

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

const typeOf = (schema: Readonly<Record<string, unknown>>): string => {
  const { enum: values, items, type } = schema
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ")
  if (type === "array") return `array of ${typeOf(objectOf(items))}`
  if (typeof type === "string") return type
  return Array.isArray(type) ? type.join(" | ") : "value"
}

/** What is wrong with arguments: each wrong one with its path, misspelt names, and the shape that is expected. */
export const describeMismatch = (schema: Schema.Constraint, input: unknown, error: Schema.SchemaError): string => {
  const { issues } = issuesOf(error.issue)
  const known = Object.keys(objectOf(Schema.toJsonSchemaDocument(schema).schema["properties"]))
  const given = Object.keys(objectOf(input))
  const mistakes = issues.slice(0, maxMistakes).map(({ message, path = [] }) => {
    const [first] = path
    const at = path.map((part) => typeof part === "object" ? String(part.key) : String(part)).join(".")
    // A name that is missing may be there in another spelling.
    const missing = typeof first === "string" && known.includes(first) && !given.includes(first)
    const strange = missing
      ? given.find((name) => !known.includes(name) && findNearest(name, known) === first)
      : undefined
    const hint = strange === undefined ? "" : `, perhaps meant by "${strange}"`
    return `${at === "" ? "the arguments" : `"${at}"`}: ${message}${hint}`
  })
  const more = issues.length > maxMistakes ? `; and ${issues.length - maxMistakes} more` : ""
  return `${mistakes.join("; ")}${more}. Expected ${describeShape(schema)}`
}
