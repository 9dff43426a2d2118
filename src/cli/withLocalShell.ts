/** Runs a subcommand with a local shell until it is done or signals stop it, and returns its exit status. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { type KillableShell, type KillableShellOptions, makeKillableShell } from "./killableShell.ts"
import type { CommandAndShell } from "./journal/journalRun.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import type { CliProcess } from "./CliProcess.ts"
import type { RunRequest } from "./RunRequest.ts"
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

/** The command and the shell that runs it, journaled if a flag or the environment requests it. */
export const journaledRun = (
  { cli, journalNetwork, shell, stop }: CliContext,
  request: Pick<RunRequest, "journal" | "redaction">,
  exec: ShellExec,
): Effect.Effect<CommandAndShell, ShellFault | UsageError, Scope.Scope> => {
  if (request.journal === undefined && (cli.variable("SLUICE_JOURNAL") ?? "") === "") {
    return Effect.succeed({ exec, shell })
  }
  // Loaded on demand: it would slow the start of other runs.
  return Effect.promise(() => import("./journal/journalRun.ts")).pipe(
    Effect.flatMap(({ journalRun }) => journalRun(cli, request, { exec, shell }, stop.signal)),
    Effect.tap(({ journal }) => Effect.sync(() => journal === undefined ? undefined : journalNetwork(journal))),
  )
}
