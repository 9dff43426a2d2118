/**
 * The Shell service over a script, and the record of what it was asked.
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { EpochMillis } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { makeProcessRuns } from "../../shell/ProcessLeaf.ts"
import type { LeafRunOptions, ShellService } from "../../shell/ShellService.ts"
import type { ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import { validateExec } from "../../shell/validateExec.ts"
import { failureMessage, playOf, stepsOf } from "./MockRun.ts"
import { MockRules, type MockScript } from "./MockScript.ts"
import { type MockShellOptions, resolveMockSettings } from "./MockShellOptions.ts"
import { ScriptedProcess } from "./ScriptedProcess.ts"

/** A command that a mock was to start, and what has become of it so far. */
export interface MockCall {
  readonly exec: ShellExec
  /** Whether the script had a run for it. */
  readonly scripted: boolean
  /** When it was to be started, by the program's clock. */
  readonly startedAt: EpochMillis
  /** What it has read of its stdin, as text: the first megabyte. */
  readonly input: string
  /** The signals that it was sent, in order. */
  readonly signals: ReadonlyArray<string>
  /** How it ended; `undefined` while it runs, and when it never did. */
  readonly exit: ExitStatus | undefined
}

/** What a mock has, beside the Shell. */
export interface MockService {
  readonly shell: ShellService
  /** The commands that it was to start, in order, as they are now: the last 10,000. */
  readonly calls: Effect.Effect<ReadonlyArray<MockCall>>
  /** What was asked for and not scripted, and what had to be asked for and was not, each in a few words. */
  readonly problems: Effect.Effect<ReadonlyArray<string>>
}

const keptCalls = 10_000

interface Call {
  readonly exec: ShellExec
  readonly startedAt: EpochMillis
  process: ScriptedProcess | undefined
  scripted: boolean
}

/** A run of which the script makes a fault: its signal ends it, and this is said instead of `Cancelled`. */
interface Failing {
  readonly controller: AbortController
  fault: { readonly reason: FaultReason; readonly message: string } | undefined
}

/** Makes a mock of a script. One admission, and one count of what has served, for all commands of it. */
export const makeMock = (script: MockScript, options: MockShellOptions): MockService => {
  const settings = resolveMockSettings(options)
  const rules = new MockRules(script, settings.ordered)
  const calls: Array<Call> = []
  const unscripted: Array<string> = []
  const failing = new WeakMap<ShellExec, Failing>()

  const record = (exec: ShellExec, startedAt: EpochMillis): Call => {
    const call: Call = { exec, startedAt, process: undefined, scripted: true }
    calls.push(call)
    if (calls.length > keptCalls) calls.shift()
    return call
  }

  const spawn = (exec: ShellExec, stdin: boolean, context: Context.Context<never>, now: EpochMillis) => {
    const call = record(exec, now)
    const run = rules.take(exec)
    if ("issue" in run) {
      call.scripted = false
      if (unscripted.length < keptCalls) unscripted.push(run.issue)
      return Effect.fail(
        ShellFault.because(
          exec.commandId,
          { _tag: "Unknown", code: "EUNSCRIPTED" },
          `exec: ${run.issue} (EUNSCRIPTED)`,
        ),
      )
    }
    const [first] = stepsOf(run)
    if (first?._tag === "MockFailure") {
      return Effect.fail(ShellFault.because(exec.commandId, first.reason, failureMessage(first, exec.command)))
    }
    const process = new ScriptedProcess({
      exec,
      executable: settings.executable(exec),
      stdin,
      context,
      onFail: (reason, message) => {
        const failed = failing.get(exec)
        if (failed === undefined) return
        failed.fault = { reason, message }
        failed.controller.abort()
      },
    })
    call.process = process
    process.run(playOf(run))
    return Effect.succeed<SpawnedProcess>(process)
  }

  const runs = makeProcessRuns({
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

  /** Runs a command so that a step can make a fault of it. The same value may run many times: each run has its own. */
  const breakable = <A>(
    exec: ShellExec,
    run: (exec: ShellExec, signal: AbortSignal) => Stream.Stream<A, ShellFault>,
    signal: LeafRunOptions["signal"],
  ): Stream.Stream<A, ShellFault> =>
    Stream.suspend(() => {
      const own = new ShellExec({ ...exec })
      const failed: Failing = { controller: new AbortController(), fault: undefined }
      failing.set(own, failed)
      const broken = failed.controller.signal
      return Stream.mapError(
        run(own, signal === undefined ? broken : AbortSignal.any([signal, broken])),
        (fault) =>
          failed.fault === undefined || fault.reason._tag !== "Cancelled"
            ? fault
            : new ShellFault({ ...fault, ...failed.fault }),
      )
    })

  return {
    shell: {
      exec: (exec, options = {}) =>
        breakable(exec, (own, signal) => runs.exec(own, { ...options, signal }), options.signal),
      bytes: (exec, options = {}) =>
        breakable(exec, (own, signal) => runs.bytes(own, { ...options, signal }), options.signal),
      // Nothing of a mock outlives the program.
      endOrphans: () => Effect.succeed({ ended: 0, pids: [], survivors: [] }),
      capabilities: settings.capabilities,
    },
    calls: Effect.sync(() =>
      calls.map(({ exec, process, scripted, startedAt }) => ({
        exec,
        scripted,
        startedAt,
        input: process?.heard ?? "",
        signals: process?.signals ?? [],
        exit: process?.status,
      }))
    ),
    problems: Effect.sync(() => [...unscripted, ...rules.unmet.map((rule) => `${rule} was never asked for`)]),
  }
}
