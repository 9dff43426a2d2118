/** Builds the answer of a tool call without a result: text that a model can read, instead of a JSON-RPC error. */
import { CallToolResult } from "effect/ai/McpSchema"
import type * as Schema from "effect/Schema"
import type { SpellFaultKind } from "../spell/SpellEntry.ts"
import { toYaml } from "./toYaml.ts"

/** Builds the answer; `failure` has further details as fields. */
export const toolError = (reason: SpellFaultKind | "Throttled", error: string, failure?: Schema.Json): CallToolResult =>
  new CallToolResult({ content: [{ type: "text", text: toYaml({ error, reason, failure }) }], isError: true })
