/** Declares the Schemas of an execution server's short answers. */
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"

/** Schema of the answer to a detached command: its id, and the paths of its routes. */
export const CommandAccepted: Schema.Struct<{
  readonly commandId: typeof CommandId
  readonly links: Schema.Struct<{
    readonly command: typeof Schema.String
    readonly events: typeof Schema.String
    readonly input: typeof Schema.String
  }>
}> = Schema.Struct({
  commandId: CommandId,
  links: Schema.Struct({ command: Schema.String, events: Schema.String, input: Schema.String }),
})

/** The answer to a detached command. */
export type CommandAccepted = typeof CommandAccepted.Type

/** Schema of the answer to input: `taken` is the total number of bytes that the command has taken since it began. */
export const InputTaken: Schema.Struct<{
  readonly commandId: typeof CommandId
  readonly taken: typeof Schema.Int
  readonly stdin: Schema.Literals<readonly ["open", "closed"]>
}> = Schema.Struct({
  commandId: CommandId,
  taken: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  stdin: Schema.Literals(["open", "closed"]),
})

/** The answer to input. */
export type InputTaken = typeof InputTaken.Type

/** Schema of the answer of `GET /health`; `draining` has status 503. */
export const Health: Schema.Struct<{ readonly status: Schema.Literals<readonly ["ok", "draining"]> }> = Schema.Struct({
  status: Schema.Literals(["ok", "draining"]),
})

/** Whether the server accepts commands. */
export type Health = typeof Health.Type

/**
 * Schema of an error response (`application/problem+json`, RFC 9457). `type` is
 * `urn:sluice:fault:<Reason>` for the fault of a command (`fault` is the encoded `ShellFault`), else
 * `urn:sluice:request:<what>`.
 */
export const Problem: Schema.Struct<{
  readonly type: typeof Schema.String
  readonly title: typeof Schema.String
  readonly status: typeof Schema.Int
  readonly detail: typeof Schema.String
  readonly commandId: Schema.optionalKey<typeof CommandId>
  readonly fault: Schema.optionalKey<typeof Schema.Unknown>
  readonly errors: Schema.optionalKey<
    Schema.$Array<Schema.Struct<{ readonly pointer: typeof Schema.String; readonly detail: typeof Schema.String }>>
  >
}> = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  commandId: Schema.optionalKey(CommandId),
  fault: Schema.optionalKey(Schema.Unknown),
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ pointer: Schema.String, detail: Schema.String }))),
})

/** An error response. */
export type Problem = typeof Problem.Type
