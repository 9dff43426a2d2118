/** Plans commands and describes what would run, without starting anything. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { encodeUtf8 } from "../../../base/bytes.ts"
import type { ShellOutput } from "../../../command/ShellEvent.ts"
import type { ShellExec } from "../../../command/ShellExec.ts"
import { noOutput } from "../../../command/PartialOutput.ts"
import type { ShellFault } from "../../../command/ShellFault.ts"
import { cancelledFault } from "../../../shell/describeFaults.ts"
import { makeShellOutput } from "../../../shell/makeShellOutput.ts"
import type { LeafRunOptions } from "../../../shell/ShellService.ts"
import type { Host } from "../../../host/Host.ts"
import type { LocalContext, PlanResult } from "../plan/LocalContext.ts"
import { type LocalCommand, planCommand, planDirectory } from "../plan/planCommand.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import { type LocalPlanner, makePlanner } from "../plan/makePlanner.ts"
import { faultOfSpawnError, interpreterOf } from "../../../host/faults/spawnError.ts"
import { describeDryRun } from "./describeDryRun.ts"
import { isPortable } from "../../../shell/portableShell.ts"
import { validateExec } from "../../../shell/validateExec.ts"

/** The description of a command, and its last event. */
export interface Description {
  readonly text: string
  readonly bytes: Uint8Array
  readonly now: number
  readonly output: ShellOutput
}

/** Plans a script for the portable shell, which is no process. */
const planScript = (
  exec: ShellExec,
  context: LocalContext,
  pinned: LeafRunOptions["constraints"],
): PlanResult<{ readonly executable: string; readonly request: Pick<LocalCommand["request"], "cwd"> }> => {
  const invalid = validateExec(exec)
  return invalid === undefined
    ? Result.map(planDirectory(exec, context, pinned), (cwd) => ({ executable: "portable-shell", request: { cwd } }))
    : Result.fail(invalid)
}

/** Makes the function that describes what the local leaf would run on a host. */
export const makeDescriber = (
  host: Host,
  settings: LocalShellSettings,
  { contextOf }: LocalPlanner = makePlanner(host, settings),
): (exec: ShellExec, options?: LeafRunOptions) => Effect.Effect<Description, ShellFault> => {
  /** The fault of a script whose first line names a missing interpreter. */
  const interpreterFault = (exec: ShellExec, executable: string): ShellFault | undefined => {
    if (host.os === "windows" || exec.mergeStreams === true || exec.limits !== undefined) return undefined
    const interpreter = interpreterOf(host, executable)
    if (interpreter === undefined || !interpreter.startsWith("/") || host.fileKind(interpreter) !== "none") {
      return undefined
    }
    return faultOfSpawnError({ code: "ENOENT" }, { exec, executable, executableIs: "executable", interpreter })
  }

  return (exec, options = {}) =>
    Effect.gen(function* () {
      if (options.signal?.aborted === true) return yield* Effect.fail(cancelledFault(exec))
      const context = contextOf(exec, options.constraints)
      const { platform } = context
      const stdin = options.stdin !== undefined ? "stream" : exec.input !== undefined ? "input" : "closed"
      const planned = isPortable(exec)
        ? planScript(exec, context, options.constraints)
        : planCommand(exec, stdin !== "closed", context, options.constraints)
      if (Result.isFailure(planned)) return yield* Effect.fail(planned.failure)
      const { executable, request } = planned.success
      const fault = interpreterFault(exec, executable)
      if (fault !== undefined) return yield* Effect.fail(fault)
      const directory = request.cwd ?? host.cwd()
      const text = describeDryRun({ exec, executable, platform, settings, directory, stdin })
      const bytes = encodeUtf8(text)
      const now = yield* Clock.currentTimeMillis
      // A pipeline starts the next stage after this call, and that stage waits for the end of its input.
      options.onSpawn?.({ pid: undefined, executable })
      void options.stdout?.end()
      const captured = { ...noOutput, stdout: exec.streamOutput ? "" : text, stdoutBytes: bytes.length }
      const how = { executable, duration: 0, completed: now, drain: "eof" } as const
      return { text, bytes, now, output: makeShellOutput(exec, { exitCode: 0 }, captured, how) }
    })
}
