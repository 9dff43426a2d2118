/**
 * The Shell service over a host.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellOutput } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { Admission } from "../../shell/Admission.ts"
import { hybrid } from "../../shell/Chunking.ts"
import { OutputPump } from "../../shell/OutputPump.ts"
import { byteSink, chunkSink, collectSink, type OutputSink } from "../../shell/OutputSink.ts"
import type { ExecOptions, ShellService } from "../../shell/ShellService.ts"
import type { ExitStatus, Spawned } from "../../shell/Spawned.ts"
import { feedStream, feedValue } from "./feedStdin.ts"
import type { Host, HostProcess } from "./Host.ts"
import { enforceableLimits, type LocalCommand, type LocalContext, planCommand } from "./LocalCommand.ts"
import type { LocalShellSettings } from "./LocalShellOptions.ts"
import { spawnCommand } from "./spawnCommand.ts"
import { makeTerminator } from "./terminate.ts"

type Fail = (reason: FaultReason, message: string) => ShellFault

let runs = 0

/** Unlikely to stand in anybody's environment by chance. */
const newMarker = (): string => `sluice-${Math.random().toString(36).slice(2, 12)}${(runs++).toString(36)}`

const findPrlimit = (host: Host): string | undefined =>
  host.os === "linux"
    ? ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => host.fileKind(path) === "executable" && host.mayRun(path))
    : undefined

/** Makes the Shell service of a host. One admission for all commands of the service. */
export const makeLocalShell = (host: Host, settings: LocalShellSettings): ShellService => {
  const admission = new Admission(settings)
  const terminator = makeTerminator(host)
  const platform = host.os === "windows" ? "windows" : "posix"
  let prlimit: { readonly path: string | undefined } | undefined
  const prlimitPath = (): string | undefined => (prlimit ??= { path: findPrlimit(host) }).path

  const spawnedOf = (process: HostProcess, command: LocalCommand, marker: string): Spawned => {
    let status: ExitStatus | undefined
    let listener: ((status: ExitStatus) => void) | undefined
    process.onExit((exit) => {
      status = exit
      listener?.(exit)
    })
    const { stderr, stdin, stdout } = process
    if (stdout === undefined) throw new TypeError("a local command's stdout is a pipe")
    return {
      executable: command.executable,
      pid: process.pid,
      stdout,
      stderr,
      stdin,
      onExit: (done) => {
        if (status === undefined) listener = done
        else done(status)
      },
      // Its children, if it has some, may be the ones who wrote: they are left to see the closed socket themselves.
      ...(host.pipesAreSockets
        ? { breakPipe: () => hasChildren(host, process.pid) ? undefined : process.kill("SIGPIPE") }
        : undefined),
      terminate: (grace) => terminator.terminate(process, marker, () => status !== undefined, grace),
    }
  }

  /** Waits for a place: within the timeout, unless the caller gives up. */
  const enter = (exec: ShellExec, timeoutMillis: number, signal: AbortSignal | undefined, fail: Fail) => {
    const admitted = signal === undefined
      ? admission.enter
      : Effect.raceFirst(admission.enter, Effect.as(aborted(signal), "cancelled" as const))
    const timed = timeoutMillis === Infinity
      ? admitted
      : Effect.timeoutOrElse(admitted, { duration: timeoutMillis, orElse: () => Effect.succeed("late" as const) })
    return Effect.flatMap(timed, (outcome) => {
      switch (outcome) {
        case "admitted":
          return Effect.void
        case "full":
          return Effect.fail(fail(
            { _tag: "Throttled", concurrencyLimit: settings.concurrencyLimit, queueLimit: settings.queueLimit },
            `exec: ${settings.concurrencyLimit} commands run and ${settings.queueLimit} wait; try again later (THROTTLED)`,
          ))
        case "late":
          return Effect.fail(fail(
            { _tag: "Timeout", kind: "queue", afterMillis: timeoutMillis },
            `exec: ${exec.command} waited ${
              Duration.format(Duration.millis(timeoutMillis))
            } for a place and was not started (TIMEOUT)`,
          ))
        case "cancelled":
          return Effect.fail(cancelled(exec, fail))
      }
    })
  }

  const start = <Element>(
    exec: ShellExec,
    options: ExecOptions,
    scope: Scope.Scope,
    makeSink: (clock: Clock.Clock) => OutputSink<Element>,
  ) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const fail: Fail = (reason, message) => ShellFault.because(exec.commandId, reason, message)
        const context = yield* Effect.context<never>()
        const clock = Context.get(context, Clock.Clock)
        const { admission: takesPlace = true, signal, stdin, stdout } = options
        if (signal?.aborted === true) return yield* Effect.fail(cancelled(exec, fail))
        const timeoutMillis = exec.timeout === undefined
          ? settings.defaultTimeoutMillis
          : Duration.toMillis(exec.timeout)
        const marker = newMarker()
        const local: LocalContext = {
          host,
          settings,
          platform,
          marker,
          prlimit: exec.limits === undefined ? undefined : prlimitPath(),
        }
        const hasInput = stdin !== undefined || exec.input !== undefined
        // Refused before it waits: a command that cannot run takes nobody's place.
        const command = yield* Result.match(planCommand(exec, hasInput, local), {
          onFailure: Effect.fail,
          onSuccess: Effect.succeed,
        })
        const sink = makeSink(clock)
        if (takesPlace) yield* restore(enter(exec, timeoutMillis, signal, fail))
        const process = yield* Effect.onError(
          spawnCommand(exec, command, local),
          () => Effect.sync(() => admission.leave()),
        )
        const spawned = spawnedOf(process, command, marker)
        let left = false
        const abort = (): void => pump.end({ _tag: "Cancelled", by: "signal" }, cancelMessage(exec))
        const leave = (): void => {
          if (left) return
          left = true
          signal?.removeEventListener("abort", abort)
          if (takesPlace) admission.leave()
        }
        const pump = new OutputPump<Element>({
          exec,
          spawned,
          sink,
          clock,
          context,
          timeoutMillis,
          idleTimeoutMillis: exec.idleTimeout === undefined ? Infinity : Duration.toMillis(exec.idleTimeout),
          drainGraceMillis: settings.drainGraceMillis,
          grace: exec.grace ?? settings.gracePeriod,
          onFinish: leave,
          stdoutTo: stdout,
        })
        yield* Scope.addFinalizer(scope, Effect.ensuring(pump.close, Effect.sync(leave)))
        signal?.addEventListener("abort", abort)
        options.onSpawn?.({ pid: process.pid, executable: command.executable })
        if (spawned.stdin !== undefined) {
          if (stdin !== undefined) {
            const feeding = Effect.catchCause(
              feedStream(spawned.stdin, stdin),
              (cause) =>
                Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.sync(() =>
                  pump.end(
                    { _tag: "Unknown", code: "ESTDIN" },
                    `exec: the stream for the stdin of ${exec.command} failed: ${
                      Cause.pretty(cause).split("\n")[0]
                    } (ESTDIN)`,
                  )
                ),
            )
            yield* Effect.forkIn(Effect.interruptible(feeding), scope)
          } else if (exec.input !== undefined) {
            void feedValue(spawned.stdin, exec.input)
          }
        }
        return pump.next
      })
    )

  const stream = <Element>(
    exec: ShellExec,
    options: ExecOptions,
    makeSink: (clock: Clock.Clock) => OutputSink<Element>,
  ): Stream.Stream<Element | ShellOutput, ShellFault> =>
    Stream.fromChannel(Channel.fromTransform((_, scope) => start(exec, options, scope, makeSink)))

  return {
    exec: (exec, options = {}) =>
      exec.streamOutput
        ? stream(
          exec,
          options,
          (clock) => chunkSink(exec, options.chunking ?? hybrid(), () => clock.currentTimeMillisUnsafe()),
        )
        : stream(exec, options, () => collectSink(exec)),
    bytes: (exec, options = {}) => stream(exec, options, byteSink),
    capabilities: {
      leaf: `local/${host.runtime}`,
      platform,
      groupKill: terminator.groupKill,
      escapees: terminator.escapees,
      get limits() {
        return enforceableLimits(host, prlimitPath())
      },
      exactOrder: platform === "posix" && host.mayRun("/bin/sh"),
      pty: false,
      backPressure: true,
      resolvesPath: host.fileKind("/") === "directory",
    },
  }
}

const hasChildren = (host: Host, pid: number): boolean =>
  (host.readText(`/proc/${pid}/task/${pid}/children`) ?? "").trim() !== ""

const cancelMessage = (exec: ShellExec): string => `exec: ${exec.command} was cancelled (CANCELLED)`

const cancelled = (exec: ShellExec, fail: Fail): ShellFault =>
  fail({ _tag: "Cancelled", by: "signal" }, cancelMessage(exec))

const aborted = (signal: AbortSignal): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const listener = (): void => resume(Exit.void)
    signal.addEventListener("abort", listener)
    return Effect.sync(() => signal.removeEventListener("abort", listener))
  })
