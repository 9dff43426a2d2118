/**
 * Converts a Schema to the JSON Schema of a tool.
 *
 * @module
 */
import { ToolJson } from "effect/ai/McpSchema"
import * as Schema from "effect/Schema"

/** The JSON Schema of an object. With `"error"` it allows no other fields. */
export const jsonSchemaOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): ToolJson => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  return Schema.decodeUnknownSync(ToolJson)(
    Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions },
  )
}
