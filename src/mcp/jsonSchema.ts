/** Converts a Schema to the JSON Schema of an MCP tool. */
import { ToolJson } from "effect/ai/McpSchema"
import * as Schema from "effect/Schema"
import { jsonSchemaOf } from "../base/jsonSchema.ts"

/** The JSON Schema of an object. With `"error"` it allows no other fields. */
export const toolJsonOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): ToolJson =>
  Schema.decodeUnknownSync(ToolJson)(jsonSchemaOf(schema, onExcessProperty))
