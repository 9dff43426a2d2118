/** Describes how the arguments of a model differ from what a spell expects, so that the model can fix its call. */
import type { JsonSchema } from "effect/JsonSchema"
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { didYouMean } from "../base/findNearest.ts"
import { quote } from "../base/quote.ts"
import { isJsonObject, resolveReference, toJsonObject } from "../base/jsonSchema.ts"
import { describeShape } from "./schema/describeShape.ts"
import { meantName, parseJsonText, repairArguments } from "./schema/repairArguments.ts"

/** Maximum number of mistakes in a message, and of UTF-16 units of a given value and of the example. */
const maxMistakes = 5
const maxGiven = 60
const maxExample = 600

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

type Path = ReadonlyArray<string>

const valueAt = (input: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => Array.isArray(value) ? value[Number(key)] : toJsonObject(value)[key],
    input,
  )

/** The sibling names of the last name of a path in the schema; none if the path goes through a union. */
const namesBeside = (root: JsonSchema, path: Path): ReadonlyArray<string> => {
  const definitions = toJsonObject(root["$defs"])
  let schema: Readonly<Record<string, unknown>> = root
  for (const key of path.slice(0, -1)) {
    const part = /^\d+$/.test(key) ? schema["items"] : toJsonObject(schema["properties"])[key]
    schema = resolveReference(toJsonObject(part), definitions)
  }
  return Object.keys(toJsonObject(schema["properties"]))
}

/** A given value, in a few words. */
const describeGiven = (value: unknown): string => {
  if (Array.isArray(value)) return "an array"
  if (isJsonObject(value)) return "an object"
  const text = JSON.stringify(value) ?? "nothing"
  const shown = text.length > maxGiven ? `${text.slice(0, maxGiven)}…` : text
  return typeof value === "string" ? `the string ${shown}` : shown
}

const describeIssue = (root: JsonSchema, input: unknown, path: Path, message: string): string | undefined => {
  const at = path.length === 0 ? "the arguments" : `${quote(path.join("."))}`
  const last = path.at(-1) ?? ""
  const known = namesBeside(root, path)
  const parent = valueAt(input, path.slice(0, -1))
  const given = isJsonObject(parent) ? Object.keys(parent) : []
  if (message === "Missing key") {
    const missing = known.filter((name) => !given.includes(name))
    const strange = given.find((name) => !known.includes(name) && meantName(name, missing) === last)
    return `${at} is missing${strange === undefined ? "" : `, perhaps meant by ${quote(strange)}`}`
  }
  if (message === "Expected no excess property") {
    const meant = meantName(last, known.filter((name) => !given.includes(name)))
    return `${at} is not a parameter${didYouMean(meant)}`
  }
  const value = valueAt(input, path)
  const expected = message.replace(/^Expected/, "expected")
  const parsed = typeof value === "string" ? parseJsonText(value) : undefined
  const hint = typeof parsed === "object" && parsed !== null && /array|object/.test(expected)
    ? "; give the JSON itself, not a string of it"
    : ""
  return `${at}: ${expected}, got ${describeGiven(value)}${hint}`
}

/**
 * Describes wrong arguments: each with its path and the given value, the expected shape, and the call that was probably
 * meant, if the spell accepts that call.
 */
export const describeMismatch = (
  root: JsonSchema,
  input: Schema.Json,
  error: Schema.SchemaError,
  isValid: (input: Schema.Json) => boolean,
): string => {
  const { issues } = issuesOf(error.issue)
  const mistakes = issues.map(({ message, path = [] }) =>
    describeIssue(root, input, path.map((part) => String(typeof part === "object" ? part.key : part)), message)
  )
  const shown = [...new Set(mistakes)]
  const more = shown.length > maxMistakes ? `; and ${shown.length - maxMistakes} more` : ""
  // The intended call may be long, such as a file to write; then a call with only the required arguments is shown.
  const [example = ""] = [repairArguments(root, input), repairArguments(root, {})]
    .filter(isValid)
    .map((value) => JSON.stringify(value))
    .filter((text) => text.length <= maxExample)
  const call = example === "" ? "" : `. Example: ${example}`
  return `${shown.slice(0, maxMistakes).join("; ")}${more}. Expected ${describeShape(root)}${call}`
}
