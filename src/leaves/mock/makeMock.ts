/** Makes the Shell service that follows a script. */
import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { EpochMillis } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/plain/ShellExec.ts"
import { ShellFault, withFaultFields } from "../../command/plain/ShellFault.ts"
import { makeProcessRuns } from "../../shell/ProcessLeaf.ts"
import type { LeafRunOptions, ShellService } from "../../shell/ShellService.ts"
import type { ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import { validateExec } from "../../shell/validateExec.ts"
import { failureMessage, playSteps, toSteps } from "./playSteps.ts"
import { MockRules, type MockScript } from "./MockScript.ts"
import { type MockShellOptions, resolveMockSettings } from "./MockShellOptions.ts"
import { ScriptedProcess } from "./ScriptedProcess.ts"
import { knowsPortableShell } from "../../shell/portableShell.ts"
import { refuseTerminals } from "../../shell/refuseTerminal.ts"

/** A command that a mock received, and its state. */
export interface MockCall {
  /** The command. */
  readonly exec: ShellExec
  /** Whether a rule of the script matched it. */
  readonly scripted: boolean
  /** When it was started, by the program's clock, in milliseconds since 1970. */
  readonly startedAt: number
  /** The text that it has read from stdin, up to the first megabyte. */
  readonly input: string
  /** The signals that it received, in order. */
  readonly signals: ReadonlyArray<string>
  /** Its exit status; `undefined` while it runs, and if it never started. */
  readonly exit: ExitStatus | undefined
}

/** A mock: its Shell, the calls and the deviations from its script. */
export interface MockService {
  /** The shell that answers. */
  readonly shell: ShellService
  /** The last 10,000 commands that it received, in order, in their current state. */
  readonly calls: Effect.Effect<ReadonlyArray<MockCall>>
  /** Descriptions of unscripted commands, and of required rules that were never used. */
  readonly problems: Effect.Effect<ReadonlyArray<string>>
}

const maxCalls = 10_000

interface Call {
  readonly exec: ShellExec
  readonly startedAt: EpochMillis
  process: ScriptedProcess | undefined
  scripted: boolean
}

/** A run that its script may fail: the signal ends the run, and `fault` replaces `Cancelled`. */
interface FailableRun {
  readonly controller: AbortController
  fault: { readonly reason: FaultReason; readonly message: string } | undefined
}

/** Makes a mock of a script. All of its commands share one admission and one record of used rules. */
export const makeMock = (script: MockScript, options: MockShellOptions): MockService => {
  const settings = resolveMockSettings(options)
  const rules = new MockRules(script, settings.ordered)
  const calls: Array<Call> = []
  const unscripted: Array<string> = []
  const failableRuns = new WeakMap<ShellExec, FailableRun>()

  const record = (exec: ShellExec, startedAt: EpochMillis): Call => {
    const call: Call = { exec, startedAt, process: undefined, scripted: true }
    calls.push(call)
    if (calls.length > maxCalls) calls.shift()
    return call
  }

  const spawn = (exec: ShellExec, stdin: boolean, context: Context.Context<never>, now: EpochMillis) => {
    const call = record(exec, now)
    const run = rules.take(exec)
    if ("issue" in run) {
      call.scripted = false
      if (unscripted.length < maxCalls) unscripted.push(run.issue)
      return Effect.fail(
        ShellFault.because(
          exec.commandId,
          { _tag: "Unknown", code: "EUNSCRIPTED" },
          `exec: ${run.issue} (EUNSCRIPTED)`,
        ),
      )
    }
    const [first] = toSteps(run)
    if (first?._tag === "MockFailure") {
      return Effect.fail(ShellFault.because(exec.commandId, first.reason, failureMessage(first, exec.command)))
    }
    const process = new ScriptedProcess({
      exec,
      executable: settings.executable(exec),
      stdin,
      context,
      onFail: (reason, message) => {
        const failed = failableRuns.get(exec)
        if (failed === undefined) return
        failed.fault = { reason, message }
        failed.controller.abort()
      },
    })
    call.process = process
    process.run(playSteps(run))
    return Effect.succeed<SpawnedProcess>(process)
  }

  const runs = makeProcessRuns({
    hasPortableShell: true,
    ...settings,
    prepare: (exec, stdin) => {
      const invalid = validateExec(exec)
      if (invalid !== undefined) return Result.fail(invalid)
      return Result.succeed(
        Effect.flatMap(
          Effect.context<never>(),
          (context) => Effect.flatMap(Clock.currentTimeMillis, (now) => spawn(exec, stdin, context, now)),
        ),
      )
    },
  })

  /** Runs a command so that a step can fail it. A copy of the command distinguishes the runs of one value. */
  const runFailable = <A>(
    exec: ShellExec,
    run: (exec: ShellExec, signal: AbortSignal) => Stream.Stream<A, ShellFault>,
    signal: LeafRunOptions["signal"],
  ): Stream.Stream<A, ShellFault> =>
    Stream.suspend(() => {
      const own = new ShellExec({ ...exec })
      const failed: FailableRun = { controller: new AbortController(), fault: undefined }
      failableRuns.set(own, failed)
      const failure = failed.controller.signal
      return Stream.mapError(
        run(own, signal === undefined ? failure : AbortSignal.any([signal, failure])),
        (fault) =>
          failed.fault === undefined || fault.reason._tag !== "Cancelled"
            ? fault
            : withFaultFields(fault, failed.fault),
      )
    })

  return {
    shell: refuseTerminals({
      [knowsPortableShell]: true,
      exec: (exec, options = {}) =>
        runFailable(exec, (own, signal) => runs.exec(own, { ...options, signal }), options.signal),
      bytes: (exec, options = {}) =>
        runFailable(exec, (own, signal) => runs.bytes(own, { ...options, signal }), options.signal),
      // Scripted processes do not outlive the program.
      endOrphans: () => Effect.succeed({ ended: 0, pids: [], survivors: [] }),
      capabilities: settings.capabilities,
    }),
    calls: Effect.sync(() =>
      calls.map(({ exec, process, scripted, startedAt }) => ({
        exec,
        scripted,
        startedAt,
        input: process?.input ?? "",
        signals: process?.signals ?? [],
        exit: process?.status,
      }))
    ),
    problems: Effect.sync(() => [...unscripted, ...rules.unmetRules.map((rule) => `${rule} was never used`)]),
  }
}
