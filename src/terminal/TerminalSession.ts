/** Opens a session, a running command on a pseudo-terminal, for the lifetime of a scope. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { Shell } from "../shell/Shell.ts"
import { openSession } from "./openSession.ts"
import type { TerminalSession as Session } from "./Session.ts"
import type { SessionOptions } from "./SessionOptions.ts"
import type { TerminalError } from "./TerminalError.ts"

export type { SessionInfo, WaitResult } from "./Session.ts"

/** A command on a pseudo-terminal. It ends with the scope that it was opened in. */
export type TerminalSession = Session

/**
 * Opens sessions on the shell of the context: policy, admission, journal and redaction apply as for any command.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { TerminalSession } from "@sluice/shell/terminal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const session = yield* TerminalSession.open(ShellExec.make("sh"), { cols: 80, rows: 24 })
 *   yield* session.write("echo $((6 * 7))\n")
 *   yield* session.waitFor("42")
 *   yield* session.sendKeys("Ctrl-D")
 *   return yield* session.exit
 * })
 * const hasTerminals = Effect.map(Shell, ({ capabilities }) => capabilities.pty)
 * const run = Effect.gen(function* () {
 *   return (yield* hasTerminals) ? (yield* Effect.scoped(program)).exitCode : 0
 * })
 * console.log(await Effect.runPromise(Effect.provide(run, LocalShell.layer))) // 0
 * ```
 *
 * @stability experimental
 */
export const TerminalSession: {
  /** Opens a session; succeeds when its process has been started. */
  readonly open: (
    exec: ShellExec,
    options?: SessionOptions,
  ) => Effect.Effect<Session, ShellFault | TerminalError, Shell | Scope.Scope>
} = { open: openSession }
