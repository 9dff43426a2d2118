/**
 * Builds the answer of a tool call that ran nothing: text that a model can read, not a JSON-RPC error.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling
 *
 * @module
 */
import { CallToolResult } from "effect/ai/McpSchema"
import { toYaml } from "./yaml.ts"

/** Builds the answer. */
export const toolError = (reason: "InvalidArguments" | "Cancelled" | "Throttled", error: string): CallToolResult =>
  new CallToolResult({ content: [{ type: "text", text: toYaml({ error, reason }) }], isError: true })
