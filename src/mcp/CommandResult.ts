/**
 * What a tool answers about a command.
 *
 * Source: execution Specification, "Output Formatting".
 *
 * @module
 */
import { CallToolResult } from "effect/ai/McpSchema"
import * as Schema from "effect/Schema"
import { toYaml } from "./yaml.ts"

/** The fields of {@link CommandResult}, as Schemas. */
export type CommandResultFields = {
  readonly error: Schema.optionalKey<typeof Schema.String>
  readonly reason: Schema.optionalKey<typeof Schema.String>
  readonly exit_code: Schema.NullOr<typeof Schema.Int>
  readonly signal: Schema.optionalKey<typeof Schema.String>
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly stdout_bytes_omitted: Schema.optionalKey<typeof Schema.Int>
  readonly stderr_bytes_omitted: Schema.optionalKey<typeof Schema.Int>
  readonly duration_ms: Schema.optionalKey<typeof Schema.Int>
  readonly command_id: typeof Schema.String
}

/** Schema of the `structuredContent` of every tool here; its JSON Schema is the tools' output schema. */
export const CommandResult: Schema.Struct<CommandResultFields> = Schema.Struct({
  error: Schema.optionalKey(Schema.String.annotate({ description: "What went wrong; missing when the command ran" })),
  reason: Schema.optionalKey(
    Schema.String.annotate({ description: "Kind of error: Timeout, NotAllowed, NotFound, PermissionDenied, …" }),
  ),
  exit_code: Schema.NullOr(Schema.Int).annotate({ description: "Null when the command did not run to its end" }),
  signal: Schema.optionalKey(Schema.String.annotate({ description: "The signal that ended the command" })),
  stdout: Schema.String.annotate({ description: "What it wrote; with an error, what it wrote before it" }),
  stderr: Schema.String,
  stdout_bytes_omitted: Schema.optionalKey(
    Schema.Int.annotate({ description: "Bytes left out of the middle of stdout; missing when it is whole" }),
  ),
  stderr_bytes_omitted: Schema.optionalKey(Schema.Int),
  duration_ms: Schema.optionalKey(Schema.Int),
  command_id: Schema.String.annotate({ description: "Names the run, in the journal too" }),
})

/** What a tool answers about a command. */
export type CommandResult = typeof CommandResult.Type

/**
 * A result as the answer of a tool: YAML for who reads it, the same as `structuredContent` for who computes with it. It
 * is an error (`isError`) when the command could not be run, or not to its end; an exit code never is.
 */
export const toToolResult = (result: CommandResult): CallToolResult =>
  new CallToolResult({
    content: [{ type: "text", text: toYaml(result) }],
    structuredContent: result,
    isError: result.error !== undefined,
  })
