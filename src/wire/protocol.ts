/**
 * Schemas of the requests and answers of an execution server, other than a command's events.
 *
 * The decoded values equal the JSON, except for secrets.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { ChunkingRecord } from "../command/ChunkingRecord.ts"
import { CommandId } from "../command/CommandId.ts"
import { ExecRequestSecrets } from "./secrets.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const optionalString: Schema.optionalKey<typeof Schema.String> = Schema.optionalKey(Schema.String)
const optionalCount: Schema.optionalKey<typeof Schema.Int> = Schema.optionalKey(Count)

/**
 * Schema of an argument in an answer: its text, or the marker of a secret.
 *
 * @example
 * ```ts
 * import { ArgumentInfo } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * console.assert(Schema.is(ArgumentInfo)("--verbose"))
 * console.assert(Schema.is(ArgumentInfo)({ _tag: "Redacted", label: "token" }))
 * ```
 *
 * @stability experimental
 */
export const ArgumentInfo: Schema.Union<
  readonly [
    typeof Schema.String,
    Schema.Struct<{ readonly _tag: Schema.tag<"Redacted">; readonly label: Schema.optionalKey<typeof Schema.String> }>,
  ]
> = Schema
  .Union([
    Schema.String,
    Schema.Struct({ _tag: Schema.tag("Redacted"), label: optionalString }),
  ])

/**
 * Schema of a command and its state.
 *
 * - `position`: position of its request in the server's journal; newer commands have larger ones.
 * - `state`: `waiting`, `running`, `lost` (the process that ran it is gone, and its outcome is unknown), `exited`
 *   (`exitCode`, `signal`), `faulted` (`reason` is the tag of the fault's reason, `message` its message), `unreadable`
 *   (its outcome was pruned).
 * - `requested`, `ended`: milliseconds since 1970. `durationMillis`: from its start to its end.
 * - `stdoutBytes`, `stderrBytes`: size of its output, when it has ended. `attempts`: number of its runs.
 * - `line`: the command as a shell line. `command`, `arguments`, `useShell`, `workingDirectory`: as requested, with markers
 *   for secrets; missing when the request was pruned.
 * - `executable`: the file that runs, if known. `user`, `host`, `pid`: of the process that ran it last.
 * - `stdin`: whether its input is open; only for a command that the server itself runs now.
 *
 * @example
 * ```ts
 * import { CommandInfo } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * const info = { commandId: "c1", position: 1, state: "exited", exitCode: 0, requested: 0, attempts: 1, line: "ls" }
 * console.assert(Schema.decodeUnknownSync(CommandInfo)(info).state === "exited")
 * ```
 *
 * @stability experimental
 */
export const CommandInfo: Schema.Struct<{
  readonly commandId: typeof CommandId
  readonly position: typeof Schema.Int
  readonly state: Schema.Literals<readonly ["waiting", "running", "lost", "exited", "faulted", "unreadable"]>
  readonly exitCode: Schema.optionalKey<typeof Schema.Int>
  readonly signal: Schema.optionalKey<typeof Schema.String>
  readonly reason: Schema.optionalKey<typeof Schema.String>
  readonly message: Schema.optionalKey<typeof Schema.String>
  readonly requested: typeof Schema.Int
  readonly ended: Schema.optionalKey<typeof Schema.Int>
  readonly durationMillis: Schema.optionalKey<typeof Schema.Finite>
  readonly stdoutBytes: Schema.optionalKey<typeof Schema.Int>
  readonly stderrBytes: Schema.optionalKey<typeof Schema.Int>
  readonly attempts: typeof Schema.Int
  readonly line: typeof Schema.String
  readonly command: Schema.optionalKey<typeof Schema.String>
  readonly arguments: Schema.optionalKey<Schema.$Array<typeof ArgumentInfo>>
  readonly useShell: Schema.optionalKey<typeof Schema.Boolean>
  readonly workingDirectory: Schema.optionalKey<typeof Schema.String>
  readonly executable: Schema.optionalKey<typeof Schema.String>
  readonly user: Schema.optionalKey<typeof Schema.String>
  readonly host: Schema.optionalKey<typeof Schema.String>
  readonly pid: Schema.optionalKey<typeof Schema.Int>
  readonly stdin: Schema.optionalKey<Schema.Literals<readonly ["open", "closed"]>>
}> = Schema.Struct({
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

/**
 * A command and its state: see the Schema of this name.
 *
 * @stability experimental
 */
export type CommandInfo = typeof CommandInfo.Type

/**
 * Schema of the answer of `GET /commands`: commands, the newest first. `next`, if there may be more, is the `before` of the
 * next page (a page may be short, even empty, and have a next one). `head` is the event id after which
 * `GET /commands/events` continues this page.
 *
 * @example
 * ```ts
 * import { CommandPage } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * console.assert(Schema.decodeUnknownSync(CommandPage)({ commands: [], head: "0" }).next === undefined)
 * ```
 *
 * @stability experimental
 */
export const CommandPage: Schema.Struct<{
  readonly commands: Schema.$Array<typeof CommandInfo>
  readonly next: Schema.optionalKey<typeof Schema.String>
  readonly head: typeof Schema.String
}> = Schema.Struct({
  commands: Schema.Array(CommandInfo),
  next: optionalString,
  head: Schema.String,
})

/**
 * A page of commands.
 *
 * @stability experimental
 */
export type CommandPage = typeof CommandPage.Type

/**
 * Schema of the answer to a detached command: its id, and the paths of its routes.
 *
 * @example
 * ```ts
 * import { CommandAccepted } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * const links = { command: "/commands/c1", events: "/commands/c1/events", input: "/commands/c1/input" }
 * console.assert(Schema.is(CommandAccepted)({ commandId: "c1", links }))
 * ```
 *
 * @stability experimental
 */
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

/**
 * The answer to a detached command.
 *
 * @stability experimental
 */
export type CommandAccepted = typeof CommandAccepted.Type

/**
 * Schema of the answer to input: `taken` is the total number of bytes that the command has taken since it began.
 *
 * @example
 * ```ts
 * import { InputTaken } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * console.assert(Schema.is(InputTaken)({ commandId: "c1", taken: 6, stdin: "open" }))
 * ```
 *
 * @stability experimental
 */
export const InputTaken: Schema.Struct<{
  readonly commandId: typeof CommandId
  readonly taken: typeof Schema.Int
  readonly stdin: Schema.Literals<readonly ["open", "closed"]>
}> = Schema.Struct({
  commandId: CommandId,
  taken: Count,
  stdin: Schema.Literals(["open", "closed"]),
})

/**
 * The answer to input.
 *
 * @stability experimental
 */
export type InputTaken = typeof InputTaken.Type

/**
 * Schema of the answer of `GET /health`; `draining` has status 503.
 *
 * @example
 * ```ts
 * import { Health } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * console.assert(Schema.is(Health)({ status: "ok" }))
 * ```
 *
 * @stability experimental
 */
export const Health: Schema.Struct<{ readonly status: Schema.Literals<readonly ["ok", "draining"]> }> = Schema.Struct({
  status: Schema.Literals(["ok", "draining"]),
})

/**
 * Whether the server accepts commands.
 *
 * @stability experimental
 */
export type Health = typeof Health.Type

/**
 * Maximum length of output that a server holds back until it can be cut, in UTF-16 units: 1 Mi.
 *
 * @stability experimental
 */
export const maxChunkLength = 1_048_576

/**
 * Maximum time that a command may run without a reader, in milliseconds: an hour.
 *
 * @stability experimental
 */
export const maxDisconnectGraceMillis = 3_600_000

/**
 * Schema of the options next to the command in the body of `POST /exec`.
 *
 * - `chunking`: where output is cut into chunks; a server holds back at most {@link maxChunkLength}. Default: whole lines, a partial line after 100 ms.
 * - `window`: a window policy for a streamed answer, such as `lines:50`.
 * - `detached`: answers at once, and the command runs without a reader. Default: `false`.
 * - `disconnectGraceMillis`: how long a command without a reader continues before it is ended, at most an hour.
 *   Default: 0, so it ends with the connection.
 * - `secrets`: the values of the command's markers: see {@link ExecRequestSecrets}.
 * - `stdin`: `"open"` for a command that gets input by `POST /commands/:id/input`. Default: `"closed"`.
 *
 * @example
 * ```ts
 * import { ExecRequestOptions } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * const options = { window: "lines:50", detached: true, disconnectGraceMillis: 30_000 }
 * console.assert(Schema.is(ExecRequestOptions)(options))
 * console.assert(!Schema.is(ExecRequestOptions)({ disconnectGraceMillis: 3_600_001 }))
 * ```
 *
 * @stability experimental
 */
export const ExecRequestOptions: Schema.Struct<{
  readonly chunking: Schema.optionalKey<typeof ChunkingRecord>
  readonly window: Schema.optionalKey<typeof Schema.String>
  readonly detached: Schema.optionalKey<typeof Schema.Boolean>
  readonly disconnectGraceMillis: Schema.optionalKey<typeof Schema.Int>
  readonly secrets: Schema.optionalKey<typeof ExecRequestSecrets>
  readonly stdin: Schema.optionalKey<Schema.Literals<readonly ["open", "closed"]>>
}> = Schema.Struct({
  chunking: Schema.optionalKey(ChunkingRecord),
  window: optionalString,
  detached: Schema.optionalKey(Schema.Boolean),
  disconnectGraceMillis: Schema.optionalKey(Count.check(Schema.isLessThanOrEqualTo(maxDisconnectGraceMillis))),
  secrets: Schema.optionalKey(ExecRequestSecrets),
  stdin: Schema.optionalKey(Schema.Literals(["open", "closed"])),
})

/**
 * The options next to the command in a request.
 *
 * @stability experimental
 */
export type ExecRequestOptions = typeof ExecRequestOptions.Type

/**
 * Schema of an error response (`application/problem+json`, RFC 9457). `type` is
 * `urn:sluice:fault:<Reason>` for the fault of a command (`fault` is the encoded `ShellFault`), else
 * `urn:sluice:request:<what>`.
 *
 * @example
 * ```ts
 * import { Problem } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * const problem = { type: "urn:sluice:request:busy", title: "Too many commands at once", status: 429, detail: "16 run" }
 * console.assert(Schema.decodeUnknownSync(Problem)(problem).status === 429)
 * ```
 *
 * @stability experimental
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

/**
 * An error response.
 *
 * @stability experimental
 */
export type Problem = typeof Problem.Type
