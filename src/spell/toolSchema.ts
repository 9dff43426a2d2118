/** Describes the parameters of a spell by JSON Schema, in the dialects that OpenAI, Gemini and MCP accept. */
import type { JsonSchema } from "effect/JsonSchema"
import { jsonSchemaOf } from "../base/jsonSchema.ts"
import { OptionError } from "../base/OptionError.ts"
import type { UnsupportedPart } from "./schema/constraints.ts"
import { toGeminiSchema } from "./schema/gemini.ts"
import { toOpenAiSchema } from "./schema/openai.ts"
import type { Spell } from "./Spell.ts"

/**
 * A dialect of JSON Schema: `"openai"` for strict tools (every property is required, and null stands for one that is left
 * out), `"gemini"` for its subset of OpenAPI 3.0, `"mcp"` for JSON Schema 2020-12, which Anthropic and most others accept
 * too.
 */
export type ToolDialect = "openai" | "gemini" | "mcp"

const convert = (
  { parameters }: Spell<string, unknown>,
  dialect: ToolDialect,
  unsupported: Array<UnsupportedPart>,
): JsonSchema | undefined => {
  const schema = jsonSchemaOf(parameters, "error")
  if (schema["type"] !== "object") {
    unsupported.push({ path: "", what: "its parameters are not an object; use Schema.Struct" })
    return undefined
  }
  return dialect === "openai"
    ? toOpenAiSchema(schema, unsupported)
    : dialect === "gemini"
    ? toGeminiSchema(schema, unsupported)
    : schema
}

export const unsupportedParts = (spell: Spell<string, unknown>, dialect: ToolDialect): ReadonlyArray<string> => {
  const unsupported: Array<UnsupportedPart> = []
  convert(spell, dialect, unsupported)
  return unsupported.map(({ path, what }) => `${spell.name}${path === "" ? "" : `, parameter ${path}`}: ${what}`)
}

/**
 * The JSON Schema of a spell's parameters in a dialect. Rules for which a dialect has no keyword (a minimum length) are
 * stated in the description, and checked when the spell is cast. For Gemini it is `undefined` where a spell has no
 * parameters: leave
 * `parameters` out of the function then.
 *
 * @throws {OptionError} naming the path of each part that the dialect cannot express at all, such as a record
 *
 * @example
 * ```ts
 * import { readFile, toolSchema } from "@sluice/shell/spell"
 *
 * // A tool of OpenAI's Responses API.
 * const parameters = toolSchema(readFile, "openai")
 * const tool = { type: "function", name: readFile.name, description: readFile.description, parameters, strict: true }
 * console.log(String(tool.parameters["required"])) // path,firstLine,maxLines
 * ```
 */
export function toolSchema(spell: Spell<string, unknown>, dialect: "openai" | "mcp"): JsonSchema
/** The JSON Schema of a spell's parameters in a dialect; for Gemini `undefined` where there are no parameters. */
export function toolSchema(spell: Spell<string, unknown>, dialect: ToolDialect): JsonSchema | undefined
export function toolSchema(spell: Spell<string, unknown>, dialect: ToolDialect): JsonSchema | undefined {
  const unsupported: Array<UnsupportedPart> = []
  const schema = convert(spell, dialect, unsupported)
  if (unsupported.length > 0) {
    throw new OptionError(
      "parameters",
      `Spell: ${dialect} cannot express ${unsupportedParts(spell, dialect).join("; ")}`,
    )
  }
  return schema
}
