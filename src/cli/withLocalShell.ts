/**
 * Runs a subcommand with a local shell until it is done or a signal ends it, and returns the exit status.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { LocalShellOptions } from "../leaves/local/LocalShellOptions.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { exitStatusOfFault } from "./exitStatus.ts"
import { makeKillableShell } from "./killableShell.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import type { CliProcess } from "./CliProcess.ts"
import { stopOnSignals, type StopRequest } from "./stopOnSignals.ts"
import { UsageError } from "./UsageError.ts"

/** What a part of the command line has to work with. */
export interface CliContext {
  readonly own: CliProcess
  readonly shell: ShellService
  readonly output: ProcessOutput
  readonly stop: StopRequest
}

/** The status of what a signal has ended. */
export const exitStatusOfStop = (stop: StopRequest): number => exitStatusOfFault({ _tag: "Cancelled" }, stop.by())

/** Does something to its end and answers with the status to exit with; nothing of it lives then. */
export const withLocalShell = <E>(
  own: CliProcess,
  perform: (all: CliContext) => Effect.Effect<number, E, Scope.Scope>,
  options: LocalShellOptions = {},
): Effect.Effect<number, E | UsageError> => {
  const output = new ProcessOutput(own)
  const killable = makeKillableShell(options)
  if (killable === undefined) return Effect.fail(new UsageError("needs Deno, Bun or Node"))
  const stop = stopOnSignals(own, output, killable.killAll)
  return Effect.flatMap(
    // By itself: what does not answer, a journal or a command, must not keep somebody who wants to leave at once.
    Effect.forkDetach(Effect.scoped(perform({ own, shell: killable.shell, output, stop }))),
    (fiber) =>
      Effect.tap(
        Effect.raceFirst(Fiber.join(fiber), Effect.map(stop.now, () => exitStatusOfStop(stop))),
        () => Effect.timeoutOption(Fiber.interrupt(fiber), "1 second"),
      ),
  )
}
