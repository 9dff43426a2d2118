/** Declares the Schemas of commands and their states, as an execution server lists them. */
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import { ScriptShell } from "../command/ShellExec.ts"
import { TerminalSize } from "../command/Terminal.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const optionalString: Schema.optionalKey<typeof Schema.String> = Schema.optionalKey(Schema.String)
const optionalCount: Schema.optionalKey<typeof Schema.Int> = Schema.optionalKey(Count)

/** Schema of an argument in an answer: its text, or the marker of a secret. */
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
 * - `line`: the command as a shell line. `command`, `arguments`, `useShell`, `shell`, `workingDirectory`: as requested, with
 *   markers
 *   for secrets; missing when the request was pruned.
 * - `executable`: the file that runs, if known. `user`, `host`, `pid`: of the process that ran it last.
 * - `requestedBy`: name of the token of the HTTP request for the command.
 * - `root`: the request for which the command was made, such as the run of an agent; the command's id begins with its
 *   id: `tag` is that of the request (`AgentRun`), `about` describes it in at most 200 characters.
 * - `terminal`: the size of its terminal, if it has or had one.
 * - `stdin`: whether its input is open; `clients`: how many are attached to its terminal. Only for a command that the server
 *   itself runs now.
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
  readonly shell: Schema.optionalKey<typeof ScriptShell>
  readonly workingDirectory: Schema.optionalKey<typeof Schema.String>
  readonly executable: Schema.optionalKey<typeof Schema.String>
  readonly user: Schema.optionalKey<typeof Schema.String>
  readonly requestedBy: Schema.optionalKey<typeof Schema.String>
  readonly root: Schema.optionalKey<
    Schema.Struct<{
      readonly correlationId: typeof Schema.String
      readonly tag: typeof Schema.String
      readonly about: typeof Schema.String
    }>
  >
  readonly host: Schema.optionalKey<typeof Schema.String>
  readonly pid: Schema.optionalKey<typeof Schema.Int>
  readonly stdin: Schema.optionalKey<Schema.Literals<readonly ["open", "closed"]>>
  readonly terminal: Schema.optionalKey<typeof TerminalSize>
  readonly clients: Schema.optionalKey<typeof Schema.Int>
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
  shell: Schema.optionalKey(ScriptShell),
  workingDirectory: optionalString,
  executable: optionalString,
  user: optionalString,
  requestedBy: optionalString,
  root: Schema.optionalKey(
    Schema.Struct({ correlationId: Schema.String, tag: Schema.String, about: Schema.String }),
  ),
  host: optionalString,
  pid: optionalCount,
  stdin: Schema.optionalKey(Schema.Literals(["open", "closed"])),
  terminal: Schema.optionalKey(TerminalSize),
  clients: optionalCount,
})

/** A command and its state: see the Schema of this name. */
export type CommandInfo = typeof CommandInfo.Type

/**
 * Schema of the answer of `GET /commands`: commands, the newest first. `next`, if there may be more, is the `before` of the
 * next page (a page may be short, even empty, and have a next one). `head` is the event id after which
 * `GET /commands/events` continues this page.
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

/** A page of commands. */
export type CommandPage = typeof CommandPage.Type
