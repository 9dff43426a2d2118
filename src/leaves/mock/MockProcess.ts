/**
 * What the steps of a scripted run see of the process that they play.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type { OutputStream } from "../../command/ShellEvent.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { ExitStatus } from "../../shell/SpawnedProcess.ts"

/** A process that a script plays. What it does ends with it: after `exit` nothing comes back. */
export interface MockProcess {
  /** The command that it was started with. */
  readonly exec: ShellExec
  /**
   * Writes text (as UTF-8) or bytes, and waits while the pipe holds 64 KiB that nobody has read. Where nobody reads any
   * more, SIGPIPE ends the process. With `mergeStreams` both streams are one.
   */
  readonly write: (stream: OutputStream, content: string | Uint8Array) => Effect.Effect<void>
  /** The next bytes of stdin, when there are some; `undefined` at its end, and where it is closed. */
  readonly read: Effect.Effect<Uint8Array | undefined>
  /** Closes its end of an output pipe; what it writes there from now on is lost. */
  readonly close: (stream: OutputStream) => Effect.Effect<void>
  /** Ends it, with a code of 0 to 255 or by a signal. */
  readonly exit: (status: ExitStatus) => Effect.Effect<never>
  /** Ends it as a leaf does that loses it: the command gets a fault, with what it had written. */
  readonly fail: (reason: FaultReason, message: string) => Effect.Effect<never>
  /** Says what it does on SIGTERM, instead of what it does now; `"ignore"` to go on as if nothing had been. */
  readonly trap: (handler: Effect.Effect<void> | "ignore") => Effect.Effect<void>
  /** Starts a process beside it, which holds both output pipes for as long as it runs, and does not end with it. */
  readonly background: (work: (process: MockProcess) => Effect.Effect<void>) => Effect.Effect<void>
}
