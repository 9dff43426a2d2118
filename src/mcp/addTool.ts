/** Registers a tool with Effect's MCP server: decodes its arguments, and calls it within the caller's limits. */
import { type CallToolResult, type McpRequestContext, Tool, ToolJson } from "effect/ai/McpSchema"
import type { McpServer } from "effect/ai/McpServer"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { jsonSchemaOf } from "../base/jsonSchema.ts"
import { runWithinLimits } from "./runWithinLimits.ts"
import type { ToolName } from "./toolNames.ts"
import { toolError } from "./toolError.ts"

export interface ToolDefinition<P> {
  readonly name: ToolName
  readonly title: string
  readonly description: string
  readonly parameters: Schema.Codec<P, unknown>
  /** Schema of the structured content; `undefined` if the answer is text. */
  readonly result?: Schema.Constraint | undefined
  readonly handle: (parameters: P) => Effect.Effect<CallToolResult, never, McpRequestContext>
}

const toolJsonOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): ToolJson =>
  Schema.decodeUnknownSync(ToolJson)(jsonSchemaOf(schema, onExcessProperty))

/** Maximum length of the message about invalid arguments. */
const maxProblemLength = 500

const invalidArguments = (name: string, problem: string, schema: ToolJson): CallToolResult => {
  const { properties } = schema
  const parameters = Predicate.isObject(properties) ? Object.keys(properties).join(", ") : ""
  // The name of a parameter may be very long.
  const shown = problem.replace(/\s*\n\s*/g, " ").slice(0, maxProblemLength)
  return toolError("InvalidArguments", `${name}: ${shown}; its parameters: ${parameters} (EINVAL)`)
}

/** Registers a tool. Its hints say that it may change anything and reach anything, since it runs commands. */
export const addTool = <P>(server: McpServer["Service"], tool: ToolDefinition<P>): Effect.Effect<void> => {
  // Unknown parameters are refused: a misspelt `timeout_ms` must not mean no timeout. Only the first problem is
  // reported: with a million invalid arguments the answer would be larger than the request.
  const decode = Schema.decodeUnknownEffect(tool.parameters, { onExcessProperty: "error", errors: "first" })
  const inputSchema = toolJsonOf(tool.parameters, "error")
  return server.addTool({
    tool: new Tool({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema,
      ...(tool.result === undefined ? undefined : { outputSchema: toolJsonOf(tool.result, "ignore") }),
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
      runWithinLimits(
        Effect.matchEffect(decode(payload ?? {}), {
          onFailure: ({ message }) => Effect.succeed(invalidArguments(tool.name, message, inputSchema)),
          onSuccess: tool.handle,
        }),
      ),
  })
}
