/** Declares the functions of a process table, its limits and its answers. */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import { sha256 } from "../base/sha256.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { ProcessTableError } from "./ProcessTableError.ts"

/** Limits of a `ProcessTable`. */
export interface ProcessTableOptions {
  /** Processes that run at once. Default: 8. */
  readonly maxProcesses?: number | undefined
  /** Outputs that are kept, of ended processes and of commands; the oldest are dropped. Default: 64. */
  readonly maxOutputs?: number | undefined
  /** Maximum number of UTF-16 units that are kept of each output, from its end. Default: 1,048,576. */
  readonly maxOutputLength?: number | undefined
}

/** A part of an output, and the state of its process. */
export interface ProcessOutput {
  /** The output from the position that was asked for. */
  readonly output: string
  /** Position of the next read. */
  readonly position: number
  /** Number of UTF-16 units before this output that are no longer kept. */
  readonly omitted: number
  /** Whether more output is already available. */
  readonly hasMore: boolean
  /** Whether the process runs. */
  readonly isRunning: boolean
  /** Its exit code, once it has ended. */
  readonly exitCode?: number | undefined
  /** Reason of an end without an exit code: a signal, or a fault. */
  readonly ended?: string | undefined
}

/** The source of an output: a process in the background, or a command whose output was too long. */
export type OutputKind = "process" | "output"

export const outputId = (kind: OutputKind, key: string): string => `${kind}-${sha256(key).slice(0, 8)}`

/** The functions of a `ProcessTable`. */
export interface ProcessTableService {
  /**
   * Starts a process, and returns its id when it runs. The process ends with the table; a closed table fails with
   * `Closed`.
   */
  readonly start: (options: {
    readonly shell: ShellService
    readonly exec: ShellExec
    /** The correlation id of the call, from which the id of the process is made. */
    readonly key: string
    /** Whether {@link write} may be used. */
    readonly hasInput: boolean
  }) => Effect.Effect<string, ShellFault | ProcessTableError>
  /** Keeps the output of a command that has ended, or of a lost process, and returns its id. */
  readonly keep: (key: string, text: string, kind?: OutputKind) => Effect.Effect<string>
  /** Reads output from a position; waits up to `wait` if there is none yet. */
  readonly read: (
    id: string,
    options: { readonly position: number; readonly maxLength: number; readonly wait: Duration.Duration },
  ) => Effect.Effect<ProcessOutput, ProcessTableError>
  /** Writes to the stdin of a process; `end` closes it. */
  readonly write: (id: string, input: string, end: boolean) => Effect.Effect<void, ProcessTableError>
  /** Ends a process and all that it started. */
  readonly stop: (id: string) => Effect.Effect<void, ProcessTableError>
}
