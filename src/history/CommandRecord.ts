/**
 * Types of what a journal says about one command: its request, its runs, its state.
 *
 * @module
 */
import type { LeaseTaken } from "../branch/BranchEntry.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { Position } from "../journal/Entry.ts"

/**
 * How far a command is.
 *
 * - `Waiting`: nobody has taken the request yet.
 * - `Running`: somebody has, and has not said how it ended.
 * - `Lost`: the process that ran it is gone, and nobody has said how it ended.
 * - `Exited`: it ran to its end; `exitCode` and `signal` as in `ShellOutput`.
 * - `Faulted`: it could not be run, or not to its end.
 * - `Unreadable`: how it ended stands there, and cannot be read: it was pruned, or a newer version wrote it.
 */
export type CommandState =
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Running" }
  | { readonly _tag: "Lost" }
  | { readonly _tag: "Exited"; readonly exitCode: number; readonly signal: string | undefined }
  | { readonly _tag: "Faulted"; readonly reason: FaultReason; readonly message: string }
  | { readonly _tag: "Unreadable"; readonly what: string }

/** One run of a command. Only a command that says `onHostLoss: "rerun"` has more than one. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number
  /** Who runs it; `undefined` where the journal does not say. */
  readonly lease: LeaseTaken | undefined
  /** What it wrote stands after this position, and before that of the next attempt. */
  readonly after: Position
  /** When it began: time of the entry. */
  readonly time: EpochMillis
}

/** How far a command is, and what is known of its end. */
export interface Outcome {
  readonly state: CommandState
  /** Milliseconds from its start to its end, when it has ended. */
  readonly durationMillis: number | undefined
  /** Bytes that it wrote, when it has ended. */
  readonly stdoutBytes: number | undefined
  readonly stderrBytes: number | undefined
  /** The file that runs, as far as it is known: resolved before the start, and as it ran when the command has ended. */
  readonly executable: string | undefined
}

/** One command: its request, and what has become of it. */
export interface CommandRecord extends Outcome {
  readonly commandId: CommandId
  /** Position of the request. */
  readonly position: Position
  /** When it was asked for: time of the entry. */
  readonly requested: EpochMillis
  /** The request, secrets as markers; `undefined` when it cannot be read, and then `line` says why, in brackets. */
  readonly exec: ShellExec | undefined
  /** The command as one would type it, secrets as `<redacted>`, control characters escaped. */
  readonly line: string
  /** Its runs, the first one first; none while it waits. */
  readonly attempts: ReadonlyArray<Attempt>
  /** The user that its last run belongs to, the name of the machine, and the canonical directory, as far as they are known. */
  readonly user: string | undefined
  readonly host: string | undefined
  readonly workingDirectory: string | undefined
  /** When it ended: time of the entry. */
  readonly ended: EpochMillis | undefined
  /** Position of the entry that ends it. */
  readonly endPosition: Position | undefined
}

/** Whether a command has ended otherwise than well: with an exit code that is not 0, with a fault, or without a word. */
export const isFailed = ({ state }: CommandRecord): boolean =>
  state._tag === "Exited" ? state.exitCode !== 0 : state._tag === "Faulted" || state._tag === "Lost"

/** Whether more may come of a command. */
export const isOpen = ({ state }: CommandRecord): boolean => state._tag === "Waiting" || state._tag === "Running"
