/**
 * A tool from its Schemas and what it does.
 *
 * @module
 */
import { type CallToolResult, InvalidParams, type McpRequestContext, Tool } from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { admitted } from "./admission.ts"
import { jsonSchemaOf } from "./jsonSchema.ts"
import type { ToolName } from "./toolNames.ts"

/** A tool. */
export interface ToolDefinition<P> {
  readonly name: ToolName
  readonly title: string
  readonly description: string
  readonly parameters: Schema.Codec<P, unknown>
  readonly result: Schema.Constraint
  readonly handle: (parameters: P) => Effect.Effect<CallToolResult, never, McpRequestContext>
}

/** Adds a tool that runs something: it may change, and reach, whatever what it runs does. */
export const addTool = <P>(server: McpServer["Service"], tool: ToolDefinition<P>): Effect.Effect<void> => {
  // A parameter that is not known is refused: a misspelt `timeout_ms` must not be no timeout. Only the first thing that is
  // wrong is told: of a million wrong arguments the answer would be larger than the request.
  const decode = Schema.decodeUnknownEffect(tool.parameters, { onExcessProperty: "error", errors: "first" })
  return server.addTool({
    tool: new Tool({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: jsonSchemaOf(tool.parameters, "error"),
      outputSchema: jsonSchemaOf(tool.result, "ignore"),
      annotations: {
        title: tool.title,
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    }),
    annotations: Context.empty(),
    handle: (payload: unknown) =>
      admitted(Effect.flatMap(
        Effect.mapError(decode(payload ?? {}), (error) =>
          new InvalidParams({ message: `${tool.name}: ${error.message}` })),
        tool.handle,
      )),
  })
}
