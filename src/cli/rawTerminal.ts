/** Switches the user's terminal to raw mode for the duration of a scope, and describes a terminal like it for a command. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { isTerminalType } from "../command/plain/terminalType.ts"
import type { Terminal } from "../command/Terminal.ts"
import type { CliProcess, CliTerminal } from "./CliProcess.ts"
import { UsageError } from "./UsageError.ts"

const noTerminal = (flag: string): UsageError =>
  new UsageError(
    `${flag} needs a terminal on stdin: run it in one (without a terminal, script -qefc 'sluice …' /dev/null makes one), or leave it out`,
  )

/** The user's terminal in raw mode until the scope closes. Fails where stdin is none. */
export const rawTerminal = (cli: CliProcess, flag: string): Effect.Effect<CliTerminal, UsageError, Scope.Scope> =>
  Effect.suspend(() => {
    const terminal = cli.openTerminal()
    return terminal === undefined ? Effect.fail(noTerminal(flag)) : Effect.acquireRelease(
      Effect.sync(() => {
        terminal.setRaw(true)
        return terminal
      }),
      () => Effect.sync(() => terminal.setRaw(false)),
    )
  })

/** The terminal for a command: of the same size and type as the user's. */
export const terminalLike = (terminal: CliTerminal, cli: CliProcess): Terminal => {
  const term = cli.variable("TERM")
  return {
    ...terminal.size(),
    ...(term === undefined || !isTerminalType(term) ? undefined : { term }),
  }
}
