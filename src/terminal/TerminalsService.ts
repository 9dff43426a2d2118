/** Declares the interface and the options of the registry of sessions. */
import type * as Effect from "effect/Effect"
import type { DurationInput } from "../base/duration.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { SessionInfo, TerminalSession } from "./Session.ts"
import type { SessionOptions } from "./SessionOptions.ts"
import type { TerminalError } from "./TerminalError.ts"

/** Options of the registry. */
export interface TerminalsOptions {
  /** Maximum number of sessions at once. Default: 16. */
  readonly maxSessions?: number | undefined
  /** Time without input, output and clients after which a session is ended. Default: 30 minutes. */
  readonly idleTimeout?: DurationInput | undefined
  /** Time for which a session stays listed after its command has ended, so that its end can be read. Default: 1 minute. */
  readonly endedRetention?: DurationInput | undefined
}

/** The registry of sessions. */
export interface TerminalsService {
  /** Opens a session on the shell of the registry. It ends with the registry, or by `close`, or when it is idle. */
  readonly open: (
    exec: ShellExec,
    options?: SessionOptions,
  ) => Effect.Effect<TerminalSession, ShellFault | TerminalError>
  /** The session with this id. */
  readonly get: (id: CommandId) => Effect.Effect<TerminalSession, TerminalError>
  /** All sessions, oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<SessionInfo>>
  /** Ends a session and removes it. */
  readonly close: (id: CommandId) => Effect.Effect<void, TerminalError>
}
