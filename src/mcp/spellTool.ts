/** Describes a spell as an MCP tool, and converts its result or its fault to the answer of a call. */
import { CallToolResult, Tool } from "effect/ai/McpSchema"
import type * as Schema from "effect/Schema"
import { isJsonObject, jsonSchemaOf } from "../base/jsonSchema.ts"
import type { Spell } from "../spell/Spell.ts"
import type { SpellFault } from "../spell/SpellEntry.ts"
import { toolSchema } from "../spell/toolSchema.ts"
import { toolError } from "./toolError.ts"
import { toYaml } from "./yaml.ts"

/** The result as text, and as structured content if it is an object: clients give a model one of them. */
export const resultOf = (result: Schema.Json): CallToolResult => {
  const text = typeof result === "string" ? result : isJsonObject(result) ? toYaml(result) : JSON.stringify(result)
  return new CallToolResult({
    content: [{ type: "text", text }],
    ...(isJsonObject(result) ? { structuredContent: result } : undefined),
    isError: false,
  })
}

export const faultOf = ({ failure, faultKind, message }: SpellFault): CallToolResult =>
  toolError(faultKind, message, failure)

/** `read_file` as people read it: "Read file". */
const titleOf = (name: string): string => {
  const words = name.replace(/[-_]+/g, " ").trim()
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`
}

export const toolOf = (spell: Spell<string, unknown>): Tool => {
  const title = titleOf(spell.name)
  const output = jsonSchemaOf(spell.success, "ignore")
  return new Tool({
    name: spell.name,
    title,
    description: spell.description,
    inputSchema: { ...toolSchema(spell, "mcp"), type: "object" },
    // A tool with an output schema must answer an object.
    ...(output["type"] === "object" ? { outputSchema: { ...output, type: "object" } } : undefined),
    annotations: {
      title,
      readOnlyHint: spell.readOnly,
      destructiveHint: spell.destructive,
      idempotentHint: spell.idempotent,
    },
  })
}
