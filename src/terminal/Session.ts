/**
 * Declares `TerminalSession`, a running command on a pseudo-terminal. The type is separate from the value of that name,
 * which opens a session, because the files that open a session import the type, and imports must form no cycle.
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DurationInput } from "../base/duration.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import type { AttachOptions, KeyInput, WaitCondition } from "./SessionOptions.ts"
import type { TerminalError } from "./TerminalError.ts"
import type { TerminalEvent, TerminalScreen } from "./TerminalEvent.ts"

/** The state of a session. */
export interface SessionInfo extends TerminalSize {
  /** The id of the session, which is the id of its command. */
  readonly id: CommandId
  /** The program. */
  readonly command: string
  /** Its arguments; secrets are hidden. */
  readonly args: ReadonlyArray<string>
  /** The process id of the command, where the leaf has one. */
  readonly pid: number | undefined
  /** The title that the program set; empty before. */
  readonly title: string
  /** When it was opened, milliseconds since 1970. */
  readonly openedAt: number
  /** When something was typed or written last, milliseconds since 1970. */
  readonly activeAt: number
  /** Number of clients that read its output. */
  readonly clients: number
  /** The `seq` of the last chunk; -1 before the first. */
  readonly seq: number
  /** Whether the command has ended. */
  readonly ended: boolean
  /** The exit code, once the command has ended without a fault. */
  readonly exitCode: number | undefined
}

/** The condition that ended a wait. */
export interface WaitResult {
  /** The text that matched; empty for silence. */
  readonly match: string
  /** The screen at that moment. */
  readonly screen: TerminalScreen
}

/**
 * A command on a pseudo-terminal. It ends with the scope that it was opened in.
 *
 * @stability experimental
 */
export interface TerminalSession {
  /** The id of its command. */
  readonly id: CommandId
  /** The command. */
  readonly exec: ShellExec
  /** Its state now. */
  readonly info: Effect.Effect<SessionInfo>
  /**
   * All chunks from the beginning, then the last event, each once. The command waits for a reader that is behind by as
   * much output as the session keeps, as for any reader of `Shell.exec`. Without a journal, a reader that begins after
   * more output than that fails with `OutputLost`.
   */
  readonly output: Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault | TerminalError>
  /** Reads as one of many clients, from a position: see {@link AttachOptions}. Closing the stream ends no command. */
  readonly attach: (options?: AttachOptions) => Stream.Stream<TerminalEvent, ShellFault>
  /**
   * Types text or bytes. It waits while the buffer of the input (64 KiB) is full, at most 10 s; then it fails with
   * `InputBlocked`.
   */
  readonly write: (data: string | Uint8Array) => Effect.Effect<void, TerminalError>
  /** Presses keys in this order, as the program expects them now (application cursor keys). */
  readonly sendKeys: (...keys: ReadonlyArray<KeyInput>) => Effect.Effect<void, TerminalError>
  /** Pastes text: bracketed where the program asked for it, so that newlines in it start nothing. */
  readonly paste: (text: string) => Effect.Effect<void, TerminalError>
  /** Changes the size; the command gets SIGWINCH. */
  readonly resize: (size: TerminalSize) => Effect.Effect<void, TerminalError>
  /** Signals the command: SIGTERM and SIGKILL its whole tree, any other the process itself. */
  readonly signal: (name: string) => Effect.Effect<void, TerminalError>
  /** Waits for text, a screen or silence, at most for `timeout`: see {@link WaitCondition}. Default: 30 s. */
  readonly waitFor: (
    condition: WaitCondition,
    options?: { readonly timeout?: DurationInput | undefined },
  ) => Effect.Effect<WaitResult, TerminalError>
  /** The visible screen. Text that was just typed may not be on it yet: use `waitFor`. */
  readonly screen: Effect.Effect<TerminalScreen>
  /** The last lines above the screen, oldest first. */
  readonly history: Effect.Effect<ReadonlyArray<string>>
  /** The screen as text that repaints it on another terminal. */
  readonly snapshot: Effect.Effect<string>
  /** The last event of the command, once its output has been read. */
  readonly exit: Effect.Effect<ShellOutput, ShellFault>
  /** Hangs up: ends the command's tree, with the grace period. Succeeds when it has ended. */
  readonly close: Effect.Effect<void>
}
