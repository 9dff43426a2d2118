/** Declares the `Terminals` service, which keeps sessions by id beyond the connection that opened them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumeValidOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { Shell } from "../shell/Shell.ts"
import { makeTerminals } from "./makeTerminals.ts"
import type { SessionInfo, TerminalSession } from "./Session.ts"
import type { SessionOptions } from "./SessionOptions.ts"
import type { TerminalError } from "./TerminalError.ts"
import type { TerminalsOptions, TerminalsService } from "./TerminalsService.ts"

export type { TerminalsOptions, TerminalsService } from "./TerminalsService.ts"

const Base: Context.ServiceClass<Terminals, "@sluice/shell/Terminals", TerminalsService> = Context.Service<
  Terminals,
  TerminalsService
>()("@sluice/shell/Terminals")

/**
 * Sessions by id, for clients that come and go. All sessions end with the layer's scope.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { Terminals } from "@sluice/shell/terminal"
 * import { Effect, Layer } from "effect"
 *
 * const layer = Terminals.layerWith({ maxSessions: 4 }).pipe(Layer.provide(LocalShell.layer))
 * const sessions = await Effect.runPromise(Effect.provide(Terminals.list, layer))
 * console.log(sessions.length) // 0
 * ```
 */
export class Terminals extends Base {
  /** A registry with the default limits, over the shell of the context. */
  static readonly layer: Layer.Layer<Terminals, never, Shell> = Layer.effect(
    Terminals,
    assumeValidOptions(Effect.suspend(() => makeTerminals({}))),
  )

  /** A registry with other limits. Fails with an `OptionError` for an option that is unknown or out of its range. */
  static layerWith(options: TerminalsOptions): Layer.Layer<Terminals, OptionError, Shell> {
    return Layer.effect(Terminals, makeTerminals(options))
  }

  /** Opens a session: see {@link TerminalsService.open}. */
  static open(
    exec: ShellExec,
    options?: SessionOptions,
  ): Effect.Effect<TerminalSession, ShellFault | TerminalError, Terminals> {
    return Effect.flatMap(Terminals, (terminals) => terminals.open(exec, options))
  }

  /** The session with this id. */
  static get(id: CommandId): Effect.Effect<TerminalSession, TerminalError, Terminals> {
    return Effect.flatMap(Terminals, (terminals) => terminals.get(id))
  }

  /** All sessions, oldest first. */
  static readonly list: Effect.Effect<ReadonlyArray<SessionInfo>, never, Terminals> = Effect.flatMap(
    Terminals,
    (terminals) => terminals.list,
  )

  /** Ends a session and removes it. */
  static close(id: CommandId): Effect.Effect<void, TerminalError, Terminals> {
    return Effect.flatMap(Terminals, (terminals) => terminals.close(id))
  }
}
