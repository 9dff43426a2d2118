/** Parses output as JSON and checks it by a schema. */
import { kindOf, OptionError } from "../base/OptionError.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { OutputError, type StandardSchema } from "./StandardSchema.ts"

/**
 * The error of a value that is no Standard Schema. An Effect Schema is recognized by its fields, because no Schema is loaded
 * here.
 */
export const schemaError = (schema: unknown): OptionError => {
  const isObject = (typeof schema === "object" && schema !== null) || typeof schema === "function"
  if (isObject && ("ast" in schema || "~effect/Schema/Schema" in schema)) {
    const what = "json: a schema of Effect is not a Standard Schema by itself"
    return new OptionError("schema", `${what}; write json(Schema.toStandardSchemaV1(schema))`)
  }
  const what = "a Standard Schema, as those of zod, valibot and arktype are"
  return new OptionError("schema", `json: the schema must be ${what}, got ${kindOf(schema)}`)
}

/**
 * Parses output. Rejects with an `OutputError` if it is not JSON or the schema refuses it; the texts of the error pass
 * through `redact`, since they quote the output.
 */
export const parseJson = async <A>(
  command: string,
  text: string,
  schema: StandardSchema<A> | undefined,
  redact: () => Promise<(text: string) => string>,
): Promise<A> => {
  let value
  try {
    value = JSON.parse(text)
  } catch (error) {
    const message = `the stdout of ${command} is not JSON: ${(await redact())(errorMessage(error))}`
    throw new OutputError(command, { _tag: "NotJson" }, message)
  }
  if (schema === undefined) return value
  const checked = await schema["~standard"].validate(value)
  if (checked.issues === undefined) return checked.value
  const hide = await redact()
  const issues = checked.issues.map(({ message, path = [] }) => ({
    path: hide(path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")),
    message: hide(message),
  }))
  const shown = issues.map(({ message, path }) => path === "" ? message : `${path}: ${message}`).join("; ")
  const message = `the stdout of ${command} is not as the schema has it: ${shown}`
  throw new OutputError(command, { _tag: "NotOfSchema" }, message, issues)
}
