/**
 * The Shell service over a script, and the record of what it was asked.
 *
 * @module
 */
import type * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { EpochMillis } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { runsOf } from "../../shell/ProcessLeaf.ts"
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"
import type { ExecOptions, ShellService } from "../../shell/ShellService.ts"
import type { ExitStatus, Spawned } from "../../shell/Spawned.ts"
import { validateExec } from "../../shell/validateExec.ts"
import { failureMessage, playOf, stepsOf } from "./MockRun.ts"
import { MockRules, type MockScript } from "./MockScript.ts"
import { ScriptedProcess } from "./ScriptedProcess.ts"

/** Settings of a mock; those of a local leaf have its defaults. */
export interface MockShellOptions {
  /** The rules serve in their order, each once, and no other command may come between. Default: `false`. */
  readonly ordered?: boolean | undefined
  /** Commands that run at once. Default: 4. */
  readonly concurrencyLimit?: number | undefined
  /** Commands that wait for a place, in order; the next is `Throttled`. Default: 1,000. */
  readonly queueLimit?: number | undefined
  /** Timeout of commands that name none. Default: none. */
  readonly defaultTimeout?: Duration.Input | undefined
  /** Time between SIGTERM and SIGKILL of commands that name none. Default: 5 s. */
  readonly gracePeriod?: Duration.Input | undefined
  /** Silence after which a pipe is given up that a process left behind holds. Default: 100 ms. */
  readonly drainGrace?: Duration.Input | undefined
  /** The file that events say has run. Default: the command as it is, and the system's shell for a script. */
  readonly executable?: ((exec: ShellExec) => string) | undefined
  /** What the leaf says of itself, where that matters. Default: `leaf: "mock"`, POSIX, and that it can do everything. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

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

const everything: ShellCapabilities = {
  leaf: "mock",
  platform: "posix",
  groupKill: "native",
  escapees: true,
  orphans: true,
  limits: ["memoryBytes", "cpuSeconds", "processes", "fileSizeBytes"],
  exactOrder: true,
  pty: false,
  backPressure: true,
  resolvesPath: false,
}

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

const atLeast = (least: number, name: string, value: number): number => {
  if (value === Infinity || (Number.isInteger(value) && value >= least)) return value
  throw new RangeError(`MockShell: ${name} is a whole number of at least ${least}, or Infinity; not ${value}`)
}

/** Makes a mock of a script. One admission, and one count of what has served, for all commands of it. */
export const makeMock = (script: MockScript, options: MockShellOptions): MockService => {
  const capabilities = { ...everything, ...options.capabilities }
  const rules = new MockRules(script, options.ordered === true)
  const calls: Array<Call> = []
  const unscripted: Array<string> = []
  const failing = new WeakMap<ShellExec, Failing>()
  const systemShell = capabilities.platform === "posix" ? "/bin/sh" : "C:\\Windows\\System32\\cmd.exe"
  const executableOf = options.executable ?? ((exec) => exec.useShell ? systemShell : exec.command)

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
      unscripted.push(run.issue)
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
      executable: executableOf(exec),
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
    return Effect.succeed<Spawned>(process)
  }

  const runs = runsOf({
    concurrencyLimit: atLeast(1, "concurrencyLimit", options.concurrencyLimit ?? 4),
    queueLimit: atLeast(0, "queueLimit", options.queueLimit ?? 1_000),
    defaultTimeoutMillis: options.defaultTimeout === undefined
      ? Infinity
      : Duration.toMillis(Duration.fromInputUnsafe(options.defaultTimeout)),
    gracePeriod: Duration.fromInputUnsafe(options.gracePeriod ?? 5_000),
    drainGraceMillis: Duration.toMillis(Duration.fromInputUnsafe(options.drainGrace ?? 100)),
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
    signal: ExecOptions["signal"],
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
      endOrphans: () => Effect.succeed({ ended: 0, pids: [], left: [] }),
      capabilities,
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
