/** Declares the Schema of a command's result in the answer of an MCP tool. */
import * as Schema from "effect/Schema"

/** Schema of a command's result; its JSON Schema is the output schema of tools with structured content. */
export const CommandResult: Schema.Struct<{
  readonly error: Schema.optionalKey<typeof Schema.String>
  readonly reason: Schema.optionalKey<typeof Schema.String>
  readonly exit_code: Schema.NullOr<typeof Schema.Int>
  readonly signal: Schema.optionalKey<typeof Schema.String>
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly stdout_bytes_omitted: Schema.optionalKey<typeof Schema.Int>
  readonly stderr_bytes_omitted: Schema.optionalKey<typeof Schema.Int>
  readonly stdout_uri: Schema.optionalKey<typeof Schema.String>
  readonly stderr_uri: Schema.optionalKey<typeof Schema.String>
  readonly duration_ms: Schema.optionalKey<typeof Schema.Int>
  readonly command_id: typeof Schema.String
}> = Schema.Struct({
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
  stdout_uri: Schema.optionalKey(
    Schema.String.annotate({ description: "Resource with the whole stdout; missing when nothing was left out" }),
  ),
  stderr_uri: Schema.optionalKey(Schema.String),
  duration_ms: Schema.optionalKey(Schema.Int),
  command_id: Schema.String.annotate({ description: "Id of the run, also in the journal" }),
})

/**
 * Result of a command in the answer of a tool.
 *
 * @stability stable
 */
export type CommandResult = typeof CommandResult.Type
