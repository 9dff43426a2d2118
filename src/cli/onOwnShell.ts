/**
 * What runs commands on the shell of this process, until it is done or somebody wants to leave.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { LocalShellOptions } from "../leaves/local/LocalShellOptions.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { statusOfFault } from "./exitStatus.ts"
import { makeKillableShell } from "./killableShell.ts"
import { OwnOutput } from "./Output.ts"
import type { OwnProcess } from "./OwnProcess.ts"
import { type Stop, stopSignals } from "./stopSignals.ts"
import { UsageError } from "./UsageError.ts"

/** What a part of the command line has to work with. */
export interface Own {
  readonly own: OwnProcess
  readonly shell: ShellService
  readonly output: OwnOutput
  readonly stop: Stop
}

/** The status of what a signal has ended. */
export const statusOfStop = (stop: Stop): number => statusOfFault({ _tag: "Cancelled" }, stop.by())

/** Does something to its end and answers with the status to exit with; nothing of it lives then. */
export const onOwnShell = <E>(
  own: OwnProcess,
  perform: (all: Own) => Effect.Effect<number, E, Scope.Scope>,
  options: LocalShellOptions = {},
): Effect.Effect<number, E | UsageError> => {
  const output = new OwnOutput(own)
  const killable = makeKillableShell(options)
  if (killable === undefined) return Effect.fail(new UsageError("needs Deno, Bun or Node"))
  const stop = stopSignals(own, output, killable.killAll)
  return Effect.flatMap(
    // By itself: what does not answer, a journal or a command, must not keep somebody who wants to leave at once.
    Effect.forkDetach(Effect.scoped(perform({ own, shell: killable.shell, output, stop }))),
    (fiber) =>
      Effect.tap(
        Effect.raceFirst(Fiber.join(fiber), Effect.map(stop.now, () => statusOfStop(stop))),
        () => Effect.timeoutOption(Fiber.interrupt(fiber), "1 second"),
      ),
  )
}
