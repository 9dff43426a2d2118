/** Encodes a `CommandRecord` as JSON with stable field names. */
import type * as Schema from "effect/Schema"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { CommandRecord, CommandState } from "./CommandRecord.ts"

type Json = Readonly<Record<string, Schema.Json | undefined>>

const stateOf = (state: CommandState): Json => {
  switch (state._tag) {
    case "Exited":
      return { state: "exited", exitCode: state.exitCode, signal: state.signal }
    case "Faulted":
      return { state: "faulted", reason: state.reason._tag, message: state.message }
    case "Unreadable":
      return { state: "unreadable", message: state.what }
    default:
      return { state: state._tag.toLowerCase() }
  }
}

/** The request without its input and its environment, which may be large. */
const requestOf = ({ exec }: CommandRecord): Json => {
  if (exec === undefined) return {}
  const { arguments: words, command, shell, useShell } = ComputeBranch.request.encode(exec)
  return { command, arguments: words, useShell, shell }
}

/**
 * Encodes a command as JSON: `commandId`, `position`, `state` (`waiting`, `running`, `lost`, `exited`, `faulted`,
 * `unreadable`), `exitCode`, `signal`, `reason` (tag of the fault's reason), `message`, `requested` and `ended` (milliseconds
 * since 1970), `durationMillis`, `stdoutBytes`, `stderrBytes`, `attempts` (the number of its runs), `line`, `command`,
 * `arguments` (secrets as markers), `useShell`, `shell`, `workingDirectory` (canonical, or as requested), `executable`, `user`,
 * `host` and `pid` (of the last run), `requestedBy` (name of the token), `root` (the request that it was made for). Unknown
 * fields are `undefined`.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"], { commandId: "c1" }))
 *   return Audit.recordJson(yield* Audit.find("c1"))
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const json = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(json["state"], json["exitCode"]) // exited 3
 * ```
 */
export const recordJson = (record: CommandRecord): Json => {
  const { attempts, commandId, durationMillis, ended, executable, line, position, requested } = record
  const { host, requestedBy, root, stderrBytes, stdoutBytes, user, workingDirectory } = record
  return {
    commandId,
    position,
    ...stateOf(record.state),
    requested,
    ended,
    durationMillis,
    stdoutBytes,
    stderrBytes,
    attempts: attempts.length,
    line,
    ...requestOf(record),
    workingDirectory,
    executable,
    user,
    requestedBy,
    root: root === undefined ? undefined : { ...root },
    host,
    pid: attempts.at(-1)?.lease?.host.pid,
  }
}
