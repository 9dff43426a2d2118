/** Declares the operations of a scripted process that its steps use. */
import type * as Effect from "effect/Effect"
import type { OutputStream } from "../../command/ShellEvent.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { ExitStatus } from "../../shell/SpawnedProcess.ts"

/** A scripted process. Its steps end with it: an Effect that exits never resumes. */
export interface MockProcess {
  readonly exec: ShellExec
  /**
   * Writes text (as UTF-8) or bytes, and waits while the pipe holds 64 KiB of unread bytes. If the reading end is closed,
   * SIGPIPE ends the process. With `mergeStreams` both streams use one pipe.
   */
  readonly write: (stream: OutputStream, content: string | Uint8Array) => Effect.Effect<void>
  /** Waits for the next bytes of stdin; `undefined` at its end, or if it is closed. */
  readonly read: Effect.Effect<Uint8Array | undefined>
  /** Closes an output stream; later writes to it are discarded. */
  readonly close: (stream: OutputStream) => Effect.Effect<void>
  /** Ends the process with an exit code of 0 to 255, or by a signal. */
  readonly exit: (status: ExitStatus) => Effect.Effect<never>
  /** Ends the process with a fault of the command, which has the output so far. */
  readonly fail: (reason: FaultReason, message: string) => Effect.Effect<never>
  /** Sets the handler of SIGTERM, which replaces the running steps; `"ignore"` to ignore the signal. */
  readonly trap: (handler: Effect.Effect<void> | "ignore") => Effect.Effect<void>
  /** Starts a background process, which holds both output pipes while it runs and outlives this one. */
  readonly background: (work: (process: MockProcess) => Effect.Effect<void>) => Effect.Effect<void>
}
