/** Defines the record of one command in a journal. */
import type { LeaseTaken } from "../branch/BranchEntry.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { Position } from "../journal/Entry.ts"
import type { Terminal } from "../command/Terminal.ts"

/**
 * State of a command.
 *
 *   - `Waiting`: no process has taken the request yet.
 *   - `Running`: a process has taken it, and its end is not in the journal.
 *   - `Lost`: the process that ran it is gone, and its end is not in the journal.
 *   - `Exited`: it ran to its end; `exitCode` and `signal` as in `ShellOutput`.
 *   - `Faulted`: it could not be run to its end.
 *   - `Unreadable`: its end cannot be read: it was pruned, or a newer version wrote it.
 */
export type CommandState =
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Exited"; readonly exitCode: number; readonly signal: string | undefined }
  | { readonly _tag: "Faulted"; readonly reason: FaultReason; readonly message: string }
  | { readonly _tag: "Unreadable"; readonly what: string }

/** One run of a command. Only a command with `onHostLoss: "rerun"` has more than one. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  /** The lease of the process that runs it; `undefined` if the journal has none. */
  readonly lease: LeaseTaken | undefined
  /** Its output comes after this position and before that of the next attempt. */
  readonly after: Position
  /** Time of its start: the time of the entry. */
  readonly time: EpochMillis
}

/** State of a command, and the facts of its end. */
export interface Outcome {
  readonly state: CommandState
  /** Milliseconds from its start to its end; `undefined` before the end. */
  readonly durationMillis: number | undefined
  /** Bytes of output; `undefined` before the end. */
  readonly stdoutBytes: number | undefined
  readonly stderrBytes: number | undefined
  /** The file of the program: as resolved before the start, and as it ran after the end. */
  readonly executable: string | undefined
}

/**
 * The request for which a command was made, such as the run of an agent: the command's id begins with the id of that
 * request and a slash.
 *
 * @stability experimental
 */
export interface RootRequest {
  readonly correlationId: string
  /** The tag of its first entry: `AgentRun` for the run of an agent. */
  readonly tag: string
  /** A summary of the request for people, such as the task of an agent: at most 200 characters. */
  readonly about: string
}

/** A command in a journal: its request, its runs, its state. */
export interface CommandRecord extends Outcome {
  readonly commandId: CommandId
  readonly position: Position
  /** Time of the request: the time of the entry. */
  readonly requested: EpochMillis
  /** The request, secrets as markers; `undefined` if it cannot be read: `line` then has the reason in brackets. */
  readonly exec: ShellExec | undefined
  /** The request for which the command was made; missing for a command on its own. */
  readonly root?: RootRequest | undefined
  /** Name of the token of the HTTP request for the command; missing for a command that was requested in another way. */
  readonly requestedBy?: string | undefined
  /** Its terminal as requested; missing for a command with pipes. */
  readonly terminal?: Terminal | undefined
  /** The command as a shell line, secrets as `<redacted>`, control characters escaped. */
  readonly line: string
  /** Its runs in order; empty while it waits. */
  readonly attempts: ReadonlyArray<Attempt>
  /** User, machine name and canonical directory of its last run, as far as known. */
  readonly user: string | undefined
  readonly host: string | undefined
  readonly workingDirectory: string | undefined
  readonly ended: EpochMillis | undefined
  readonly endPosition: Position | undefined
}

/**
 * Whether a command failed: an exit code other than 0, a fault, or a lost process.
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
 *   return yield* Audit.find("c1")
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const record = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(Audit.isFailed(record)) // true
 * ```
 */
export const isFailed = ({ state }: CommandRecord): boolean =>
  state._tag === "Exited" ? state.exitCode !== 0 : state._tag === "Faulted" || state._tag === "Lost"

/**
 * Whether a command waits or runs.
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
 *   return yield* Audit.find("c1")
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const record = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(Audit.isOpen(record)) // false
 * ```
 */
export const isOpen = ({ state }: CommandRecord): boolean => state._tag === "Waiting" || state._tag === "Running"
