/**
 * What the execution server and its clients say to each other beside the events of a command, as Schemas.
 *
 * Every one is what stands in the JSON: nothing is turned into something else when it is read, but for secrets.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { ChunkingRecord } from "../command/ChunkingRecord.ts"
import { CommandId } from "../command/CommandId.ts"
import { ExecRequestSecrets } from "./secrets.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

type OptionalString = Schema.optionalKey<typeof Schema.String>
type OptionalCount = Schema.optionalKey<typeof Schema.Int>

const optionalString: OptionalString = Schema.optionalKey(Schema.String)
const optionalCount: OptionalCount = Schema.optionalKey(Count)

/** The fields of the marker of a secret, as Schemas. */
export type SecretMarkerFields = { readonly _tag: Schema.tag<"Redacted">; readonly label: OptionalString }

/** Schema of an argument as it is told: its text, or the marker of a secret. */
export const ArgumentInfo: Schema.Union<readonly [typeof Schema.String, Schema.Struct<SecretMarkerFields>]> = Schema
  .Union([
    Schema.String,
    Schema.Struct({ _tag: Schema.tag("Redacted"), label: optionalString }),
  ])

/** The fields of {@link CommandInfo}, as Schemas. */
export type CommandInfoFields = {
  readonly commandId: typeof CommandId
  readonly position: typeof Schema.Int
  readonly state: Schema.Literals<readonly ["waiting", "running", "lost", "exited", "faulted", "unreadable"]>
  readonly exitCode: Schema.optionalKey<typeof Schema.Int>
  readonly signal: OptionalString
  readonly reason: OptionalString
  readonly message: OptionalString
  readonly requested: typeof Schema.Int
  readonly ended: OptionalCount
  readonly durationMillis: Schema.optionalKey<typeof Schema.Finite>
  readonly stdoutBytes: OptionalCount
  readonly stderrBytes: OptionalCount
  readonly attempts: typeof Schema.Int
  readonly line: typeof Schema.String
  readonly command: OptionalString
  readonly arguments: Schema.optionalKey<Schema.$Array<typeof ArgumentInfo>>
  readonly useShell: Schema.optionalKey<typeof Schema.Boolean>
  readonly workingDirectory: OptionalString
  readonly executable: OptionalString
  readonly user: OptionalString
  readonly host: OptionalString
  readonly pid: OptionalCount
  readonly stdin: Schema.optionalKey<Schema.Literals<readonly ["open", "closed"]>>
}

/**
 * Schema of a command that is or was run.
 *
 * - `position`: of its request in the server's journal; the newer command has the larger one.
 * - `state`: `waiting`, `running`, `lost` (the process that ran it is gone, and nobody has said how it ended), `exited`
 *   (`exitCode`, `signal`), `faulted` (`reason` is the tag of the fault's reason, `message` its message), `unreadable`
 *   (what became of it was pruned).
 * - `requested`, `ended`: milliseconds since 1970. `durationMillis`: from its start to its end.
 * - `stdoutBytes`, `stderrBytes`: what it wrote, when it has ended. `attempts`: how often it was run.
 * - `line`: the command as one would type it. `command`, `arguments`, `useShell`, `workingDirectory`: as it was asked
 *   for, secrets as markers; missing when the request was pruned.
 * - `executable`: the file that runs, as far as it is known. `user`, `host`, `pid`: of the process that ran it last.
 * - `stdin`: whether its input is open; only of a command that the server itself runs now.
 */
export const CommandInfo: Schema.Struct<CommandInfoFields> = Schema.Struct({
  commandId: CommandId,
  position: Count,
  state: Schema.Literals(["waiting", "running", "lost", "exited", "faulted", "unreadable"]),
  exitCode: Schema.optionalKey(Schema.Int),
  signal: optionalString,
  reason: optionalString,
  message: optionalString,
  requested: Schema.Int,
  ended: Schema.optionalKey(Schema.Int),
  durationMillis: Schema.optionalKey(Schema.Finite),
  stdoutBytes: optionalCount,
  stderrBytes: optionalCount,
  attempts: Count,
  line: Schema.String,
  command: optionalString,
  arguments: Schema.optionalKey(Schema.Array(ArgumentInfo)),
  useShell: Schema.optionalKey(Schema.Boolean),
  workingDirectory: optionalString,
  executable: optionalString,
  user: optionalString,
  host: optionalString,
  pid: optionalCount,
  stdin: Schema.optionalKey(Schema.Literals(["open", "closed"])),
})

/** A command that is or was run. */
export type CommandInfo = typeof CommandInfo.Type

/** The fields of {@link CommandPage}, as Schemas. */
export type CommandPageFields = {
  readonly commands: Schema.$Array<typeof CommandInfo>
  readonly next: OptionalString
  readonly head: typeof Schema.String
}

/**
 * Schema of an answer of `GET /commands`: commands, the newest first. `next`, when there may be more, is the `before` of
 * the next page (a page may be short, even empty, and have a next one). `head` is the event id after which
 * `GET /commands/events` tells what this page does not know yet.
 */
export const CommandPage: Schema.Struct<CommandPageFields> = Schema.Struct({
  commands: Schema.Array(CommandInfo),
  next: optionalString,
  head: Schema.String,
})

/** A page of commands. */
export type CommandPage = typeof CommandPage.Type

/** The fields of {@link CommandAccepted}, as Schemas. */
export type CommandAcceptedFields = {
  readonly commandId: typeof CommandId
  readonly links: Schema.Struct<{
    readonly command: typeof Schema.String
    readonly events: typeof Schema.String
    readonly input: typeof Schema.String
  }>
}

/** Schema of the answer to a detached command: its id, and the paths of what can be asked about it. */
export const CommandAccepted: Schema.Struct<CommandAcceptedFields> = Schema.Struct({
  commandId: CommandId,
  links: Schema.Struct({ command: Schema.String, events: Schema.String, input: Schema.String }),
})

/** A detached command was accepted. */
export type CommandAccepted = typeof CommandAccepted.Type

/** The fields of {@link InputTaken}, as Schemas. */
export type InputTakenFields = {
  readonly commandId: typeof CommandId
  readonly taken: typeof Schema.Int
  readonly stdin: Schema.Literals<readonly ["open", "closed"]>
}

/** Schema of the answer to input: `taken` bytes in all have been handed to the command since it began. */
export const InputTaken: Schema.Struct<InputTakenFields> = Schema.Struct({
  commandId: CommandId,
  taken: Count,
  stdin: Schema.Literals(["open", "closed"]),
})

/** How much input was taken. */
export type InputTaken = typeof InputTaken.Type

/** Schema of the answer of `GET /health`; `draining` comes with status 503. */
export const Health: Schema.Struct<{ readonly status: Schema.Literals<readonly ["ok", "draining"]> }> = Schema.Struct({
  status: Schema.Literals(["ok", "draining"]),
})

/** Whether the server takes commands. */
export type Health = typeof Health.Type

/** The fields of {@link ExecRequestOptions}, as Schemas. */
export type ExecRequestOptionsFields = {
  readonly chunking: Schema.optionalKey<typeof ChunkingRecord>
  readonly window: OptionalString
  readonly detached: Schema.optionalKey<typeof Schema.Boolean>
  readonly disconnectGraceMillis: OptionalCount
  readonly secrets: Schema.optionalKey<typeof ExecRequestSecrets>
  readonly stdin: Schema.optionalKey<Schema.Literals<readonly ["open", "closed"]>>
}

/** Most output that a command at a server may hold back for want of a place to cut it: 1 Mi UTF-16 units. */
export const maxChunkLength = 1_048_576

/** Longest time that a command may wait for a reader: an hour, in milliseconds. */
export const maxDisconnectGraceMillis = 3_600_000

/**
 * Schema of what stands beside the command in the body of `POST /exec`.
 *
 * - `chunking`: where output is cut into chunks; a server holds back no more than {@link maxChunkLength}, whatever it
 *   says. Default: whole lines, a partial line after 100 ms.
 * - `window`: a window policy for a streamed answer, such as `lines:50`.
 * - `detached`: answer at once, and let the command run on whoever listens. Default: `false`.
 * - `disconnectGraceMillis`: how long a command that nobody reads any more waits for a reader before it is ended, at most an hour.
 *   Default: 0: it ends with the connection.
 * - `secrets`: the values of the secrets for which the command has markers: see {@link ExecRequestSecrets}.
 * - `stdin`: `"open"` for a command whose input comes by `POST /commands/:id/input`. Default: `"closed"`.
 */
export const ExecRequestOptions: Schema.Struct<ExecRequestOptionsFields> = Schema.Struct({
  chunking: Schema.optionalKey(ChunkingRecord),
  window: optionalString,
  detached: Schema.optionalKey(Schema.Boolean),
  disconnectGraceMillis: Schema.optionalKey(Count.check(Schema.isLessThanOrEqualTo(maxDisconnectGraceMillis))),
  secrets: Schema.optionalKey(ExecRequestSecrets),
  stdin: Schema.optionalKey(Schema.Literals(["open", "closed"])),
})

/** What stands beside the command in a request. */
export type ExecRequestOptions = typeof ExecRequestOptions.Type

/** The fields of {@link Problem}, as Schemas. */
export type ProblemFields = {
  readonly type: typeof Schema.String
  readonly title: typeof Schema.String
  readonly status: typeof Schema.Int
  readonly detail: typeof Schema.String
  readonly commandId: Schema.optionalKey<typeof CommandId>
  readonly fault: Schema.optionalKey<typeof Schema.Unknown>
  readonly errors: Schema.optionalKey<
    Schema.$Array<Schema.Struct<{ readonly pointer: typeof Schema.String; readonly detail: typeof Schema.String }>>
  >
}

/**
 * Schema of an answer that says what went wrong (`application/problem+json`, RFC 9457). `type` is
 * `urn:sluice:fault:<Reason>` for the fault of a command (`fault` is the encoded `ShellFault`), else
 * `urn:sluice:request:<what>`.
 */
export const Problem: Schema.Struct<ProblemFields> = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  commandId: Schema.optionalKey(CommandId),
  fault: Schema.optionalKey(Schema.Unknown),
  errors: Schema.optionalKey(Schema.Array(Schema.Struct({ pointer: Schema.String, detail: Schema.String }))),
})

/** What went wrong. */
export type Problem = typeof Problem.Type
