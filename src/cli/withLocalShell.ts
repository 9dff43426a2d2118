/** Runs a subcommand with a local shell until it is done or signals stop it, and returns its exit status. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ShellService } from "../shell/ShellService.ts"
import { type KillableShell, type KillableShellOptions, makeKillableShell } from "./killableShell.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import type { CliProcess } from "./CliProcess.ts"
import { runUntilStopped, stopOnSignals, type StopRequest } from "./stopOnSignals.ts"
import type { UsageError } from "./UsageError.ts"

export interface CliContext {
  readonly cli: CliProcess
  readonly shell: ShellService
  readonly output: ProcessOutput
  readonly stop: StopRequest
  readonly journalNetwork: KillableShell["journalNetwork"]
}

/** Runs a subcommand to its end and returns the exit status; no command is left running. */
export const withLocalShell = <E>(
  cli: CliProcess,
  perform: (all: CliContext) => Effect.Effect<number, E, Scope.Scope>,
  options: KillableShellOptions = {},
): Effect.Effect<number, E | UsageError> =>
  Effect.scoped(Effect.flatMap(makeKillableShell(cli, options), ({ journalNetwork, killAll, shell }) => {
    const output = new ProcessOutput(cli)
    const stop = stopOnSignals(cli, output, killAll)
    return runUntilStopped(perform({ cli, shell, output, stop, journalNetwork }), stop)
  }))
