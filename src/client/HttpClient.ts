/**
 * What a client of an execution server can do.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { HttpError } from "./HttpError.ts"
import type {
  CommandAccepted,
  CommandInfo,
  CommandPage,
  ExecRequestOptions,
  Health,
  InputTaken,
} from "../wire/protocol.ts"
import type { EventWithId } from "../wire/sse.ts"

/** What can go wrong with a request about a command. */
export type ClientError = HttpError | ShellFault

/** Which commands to list. */
export interface CommandQuery {
  /** Any of these; `open` is those of which more may come. Default: all. */
  readonly state?: ReadonlyArray<CommandInfo["state"] | "open"> | undefined
  /** Asked for at this time or later, milliseconds since 1970. */
  readonly since?: number | undefined
  /** Asked for before this time. */
  readonly until?: number | undefined
  /** A pattern for the program or the line: `*`, `?`, `[a-z]`. */
  readonly command?: string | undefined
  /** At most so many, up to 500. Default: 50. */
  readonly limit?: number | undefined
  /** The `next` of the page before. */
  readonly before?: string | undefined
}

/** How a command is to be run. */
export interface ExecSettings extends Pick<ExecRequestOptions, "chunking" | "disconnectGraceMillis" | "stdin"> {
  /** Called with the first answer: the command is in the server's journal. */
  readonly onAccepted?: (() => void) | undefined
}

/**
 * Talks to an execution server, and believes it no more than it must: see `architecture/server.md`.
 *
 * The secrets of a command go with the request that runs it, in a field of their own; over `http:` to another machine such
 * a command is not sent (`NotAllowed`), unless `plainSecrets` is set. What comes back of one that was asked for with
 * `disconnectGraceMillis` or `detach` has markers where the command printed them.
 */
export interface ShellHttpClient {
  /** Runs a command to its end; the whole output is in the result. */
  readonly run: (exec: ShellExec) => Effect.Effect<ShellOutput, ClientError>
  /**
   * Runs a command, and brings what a leaf would bring. Closing the stream ends the command.
   *
   * With `disconnectGraceMillis` a connection that is lost is made anew, for as long as that: nothing is missed, nothing comes
   * twice, and the command has not noticed. The command runs once, however often it is asked for.
   */
  readonly exec: (
    exec: ShellExec,
    settings?: ExecSettings,
  ) => Stream.Stream<ShellOutputChunk | ShellOutput, ClientError>
  /** Starts a command that runs on by itself. */
  readonly detach: (
    exec: ShellExec,
    settings?: Pick<ExecRequestOptions, "chunking" | "stdin">,
  ) => Effect.Effect<CommandAccepted, ClientError>
  /** Commands, the newest first. */
  readonly commands: (query?: CommandQuery) => Effect.Effect<CommandPage, ClientError>
  /** One command. */
  readonly command: (id: CommandId) => Effect.Effect<CommandInfo, ClientError>
  /** The events of a command whose ids are beyond `after`, over one connection; a fault is the last one. */
  readonly events: (id: CommandId, after?: number) => Stream.Stream<EventWithId, ClientError>
  /** The same, over as many connections as it takes; each may be looked for as long as `patienceMillis`. */
  readonly follow: (
    id: CommandId,
    patienceMillis: number,
    after?: number,
  ) => Stream.Stream<EventWithId, ClientError>
  /** Bytes for stdin, answered when the command took them. With `offset` they may be sent again. */
  readonly input: (
    id: CommandId,
    bytes: Uint8Array<ArrayBuffer>,
    settings?: { readonly offset?: number | undefined; readonly end?: boolean | undefined },
  ) => Effect.Effect<InputTaken, ClientError>
  /** Begins to end a command. */
  readonly cancel: (
    id: CommandId,
    settings?: { readonly force?: boolean | undefined },
  ) => Effect.Effect<CommandInfo, ClientError>
  /** Whether the server takes commands. */
  readonly health: Effect.Effect<Health, ClientError>
}
