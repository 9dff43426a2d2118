/** Declares the operations of an execution server's HTTP client, and their options. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DurationInput } from "../base/duration.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { CommandAccepted, Health, InputTaken } from "../wire/serverAnswers.ts"
import type { CommandInfo, CommandPage } from "../wire/CommandInfo.ts"
import type { ExecRequestOptions } from "../wire/ExecRequestOptions.ts"
import type { EventWithId } from "../wire/sse.ts"
import type { TerminalSize } from "../command/Terminal.ts"
import type { TerminalTicket } from "../wire/TerminalTicket.ts"
import type { RemoteError } from "./RemoteError.ts"

/** A filter of the commands to list. */
export interface CommandQuery {
  /** In any of these states; `"open"` means that more events may come. Default: all. */
  readonly state?: ReadonlyArray<CommandInfo["state"] | "open"> | undefined
  /** Requested at this time or later, milliseconds since 1970. */
  readonly since?: number | undefined
  /** Requested before this time, milliseconds since 1970. */
  readonly until?: number | undefined
  /** A pattern for the program or the line: `*`, `?`, `[a-z]`. */
  readonly command?: string | undefined
  /** Maximum number of commands on the page, at most 500. Default: 50. */
  readonly maxCommands?: number | undefined
  /** The `next` of the previous page. */
  readonly before?: string | undefined
}

/** Options of running a command and reading its events. */
export interface RemoteExecOptions extends Pick<ExecRequestOptions, "chunking" | "stdin" | "terminal"> {
  /**
   * Time for which the client tries to reconnect, and for which the server keeps the command without a reader; at most
   * an hour. Default: 0, so the command ends with its connection.
   */
  readonly disconnectGrace?: DurationInput | undefined
  /** Called with the first answer: the command is in the server's journal. */
  readonly onAccepted?: (() => void) | undefined
}

/**
 * Client of an execution server. It does not trust the server: answers are bounded in size and in silence, and checked.
 *
 * Every operation fails with `RemoteError` or with the `ShellFault` of the command.
 *
 * Secrets of a command are sent in a separate field of the request that runs it. Over `http:` to another machine such a
 * command is not sent (`NotAllowed`), unless `plainSecrets` is set. The output of a command that runs with
 * `disconnectGrace` or was started with `detach` has markers where the command printed a secret.
 *
 * @stability stable
 */
export interface RemoteClient {
  /** Runs a command to its end; the result holds the whole output. */
  readonly run: (exec: ShellExec) => Effect.Effect<ShellOutput, RemoteError | ShellFault>
  /**
   * Runs a command and emits its output as a leaf does. Closing the stream ends the command.
   *
   * With `disconnectGrace` the client reconnects after a lost connection, without gaps or duplicates; the command does not
   * notice. The command runs once, even if its request is sent again.
   */
  readonly exec: (
    exec: ShellExec,
    options?: RemoteExecOptions,
  ) => Stream.Stream<ShellOutputChunk | ShellOutput, RemoteError | ShellFault>
  /** Starts a command that runs without a reader. */
  readonly detach: (
    exec: ShellExec,
    options?: Pick<ExecRequestOptions, "chunking" | "stdin" | "terminal">,
  ) => Effect.Effect<CommandAccepted, RemoteError | ShellFault>
  /**
   * Starts a command that runs for as long as it has a reader (`events`, `follow`, a terminal), or had one less than
   * `disconnectGrace` ago.
   */
  readonly start: (
    exec: ShellExec,
    options: Pick<RemoteExecOptions, "chunking" | "stdin" | "terminal"> & { readonly disconnectGrace: DurationInput },
  ) => Effect.Effect<void, RemoteError | ShellFault>
  /** Lists commands, the newest first. */
  readonly commands: (query?: CommandQuery) => Effect.Effect<CommandPage, RemoteError | ShellFault>
  /** Reads one command. A server that does not know it refuses with status 404. */
  readonly command: (id: CommandId) => Effect.Effect<CommandInfo, RemoteError | ShellFault>
  /** Reads the events of a command with ids above `after`, over one connection. A fault is the last event. */
  readonly events: (id: CommandId, after?: number) => Stream.Stream<EventWithId, RemoteError | ShellFault>
  /**
   * Reads the events of a command like `events`, and reconnects after a lost connection for as long as `reconnectTimeout`.
   */
  readonly follow: (
    id: CommandId,
    reconnectTimeout: DurationInput,
    after?: number,
  ) => Stream.Stream<EventWithId, RemoteError | ShellFault>
  /** Writes bytes to stdin and waits until the command has taken them. With `offset` they can be sent again safely. */
  readonly input: (
    id: CommandId,
    bytes: Uint8Array<ArrayBuffer>,
    options?: { readonly offset?: number | undefined; readonly end?: boolean | undefined },
  ) => Effect.Effect<InputTaken, RemoteError | ShellFault>
  /** Changes the size of the terminal of a command. */
  readonly resize: (id: CommandId, size: TerminalSize) => Effect.Effect<void, RemoteError | ShellFault>
  /** Signals the command on a terminal: SIGTERM and SIGKILL its whole tree, any other the process itself. */
  readonly signal: (id: CommandId, signal: string) => Effect.Effect<void, RemoteError | ShellFault>
  /** Requests the subprotocols with which the WebSocket of a command's terminal is opened, once. */
  readonly terminalTicket: (id: CommandId) => Effect.Effect<TerminalTicket, RemoteError | ShellFault>
  /** Starts to end a command; `force` skips its grace period. */
  readonly cancel: (
    id: CommandId,
    options?: { readonly force?: boolean | undefined },
  ) => Effect.Effect<CommandInfo, RemoteError | ShellFault>
  /** Asks whether the server accepts commands. */
  readonly health: Effect.Effect<Health, RemoteError | ShellFault>
}
