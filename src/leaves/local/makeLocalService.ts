/** Makes the Shell service of the local leaf on a host. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { durationOf } from "../../base/duration.ts"
import { hasSucceeded } from "../../base/hasSucceeded.ts"
import { OptionError } from "../../base/OptionError.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { inheritsFrom } from "../../policy/inheritedVariables.ts"
import type { ScriptMachine } from "../../script/ScriptPlace.ts"
import { withPortableScripts } from "../../script/withPortableScripts.ts"
import { makeProcessRuns, type ProcessRuns } from "../../shell/ProcessLeaf.ts"
import { validateTerminal } from "../../shell/refuseTerminal.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { ByteReader, ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import { ShellFault } from "../../command/plain/ShellFault.ts"
import { errorCode } from "../../host/faults/errorCode.ts"
import type { Enclosure } from "./Enclosure.ts"
import { atProgramEnd, endWithProgram } from "./end/endWithProgram.ts"
import type { Host, HostProcess } from "../../host/Host.ts"
import { withInheritedVariables } from "./plan/withInheritedVariables.ts"
import { addLiveMarker, removeLiveMarker } from "./end/liveMarkers.ts"
import { makePlanner } from "./plan/makePlanner.ts"
import { PlanCache } from "./plan/PlanCache.ts"
import { planCommand, planDirectory, withStdin } from "./plan/planCommand.ts"
import type { LocalShellSettings } from "./LocalShellOptions.ts"
import { resolveCommand } from "./plan/resolveCommand.ts"
import { startCommand } from "./start/startCommand.ts"
import { systemShell } from "../../host/systemShell.ts"
import { hasEngine } from "../../host/terminal/findEngine.ts"
import { hangUp } from "../../host/terminal/hangUp.ts"
import { terminalRequest } from "../../host/terminal/terminalRequest.ts"
import { makeTerminator, type Terminator } from "./end/Terminator.ts"
import { Watchdog } from "./end/Watchdog.ts"

const hasChildren = (host: Host, pid: number): boolean =>
  (host.readText(`/proc/${pid}/task/${pid}/children`) ?? "").trim() !== ""

/** The reader of an output without a pipe. */
const noOutput: ByteReader = { read: (done) => done(undefined), release: () => {} }

const toSpawnedProcess = (
  process: HostProcess,
  { cleanup, executable, host, marker, terminator }: {
    readonly host: Host
    readonly executable: string
    readonly terminator: Terminator
    readonly marker: string
    readonly cleanup: boolean
  },
): SpawnedProcess => {
  let status: ExitStatus | undefined
  const listeners: Array<(status: ExitStatus) => void> = []
  process.onExit((exit) => {
    status = exit
    for (const listener of listeners) listener(exit)
  })
  const hasExited = (): boolean => status !== undefined
  const forget = cleanup ? endWithProgram({ process, marker, hasExited }, terminator) : undefined
  const { job, pid, resize, stderr, stdin, stdout } = process
  const terminate = (grace: Duration.Duration): Effect.Effect<ReadonlyArray<number>> =>
    terminator.terminate(process, marker, hasExited, grace)
  return {
    executable,
    pid,
    stdout: stdout ?? noOutput,
    stderr,
    stdin,
    onExit: (done) => {
      if (status === undefined) listeners.push(done)
      else done(status)
    },
    // If it has children, one of them may be the writer: they see the closed socket themselves.
    ...(host.pipesAreSockets && resize === undefined
      ? { breakPipe: () => hasChildren(host, pid) ? undefined : process.kill("SIGPIPE") }
      : undefined),
    release: () => {
      removeLiveMarker(marker)
      forget?.()
      job?.release()
    },
    signal: process.kill,
    ...(job === undefined ? undefined : { mayHoldOutput: () => job.active > 0 }),
    ...(resize === undefined
      ? { terminate }
      : { resize, terminate: (grace) => hangUp(process, hasExited, terminate(grace)) }),
  }
}

/** The Shell service of a local leaf, whose processes can inherit descriptors of this program. */
export type LocalShellService = ShellService & ProcessRuns

/** Makes the watchdog if the leaf has one. Throws an `OptionError` where it cannot work. */
const makeWatchdog = (host: Host, settings: LocalShellSettings): Watchdog | undefined => {
  if (!settings.dieWithParent) return undefined
  const shell = systemShell(host)
  if (host.os !== "linux" || shell === undefined) {
    throw new OptionError(
      "dieWithParent",
      `${settings.leaf}: dieWithParent needs Linux, and sh, which this program must be allowed to run`,
    )
  }
  return new Watchdog(host, shell)
}

const startWatchdog = (exec: ShellExec, watchdog: Watchdog): Effect.Effect<void, ShellFault> =>
  Effect.tryPromise({
    try: () => watchdog.start(),
    catch: (error) =>
      ShellFault.because(
        exec.commandId,
        { _tag: "Unknown", code: errorCode(error, "posix") ?? "UNKNOWN" },
        `exec: ${exec.command} was not started: the watchdog of dieWithParent failed to start (${
          errorCode(error, "posix") ?? "UNKNOWN"
        })`,
        { exception: error },
      ),
  })

/** A Shell service, and the function that releases its resources. */
export interface LocalService<Service extends ShellService = ShellService> {
  readonly shell: Service
  readonly close: () => void
}

/** Makes the Shell service of a host for the lifetime of this program: see {@link makeLocalService}. */
export const makeLocalShell = (host: Host, settings: LocalShellSettings): LocalShellService =>
  makeLocalService(host, settings).shell

/** Makes the Shell service of a host. All of its commands share one admission, and one enclosure if there is one. */
export const makeLocalService = (
  runtime: Host,
  settings: LocalShellSettings,
  enclosure?: Enclosure,
): LocalService<LocalShellService> => {
  const watchdog = makeWatchdog(runtime, settings)
  const { inheritedVariables } = settings
  const inheriting = (each: Host): Host =>
    inheritedVariables === undefined
      ? each
      : withInheritedVariables(each, inheritsFrom(inheritedVariables, runtime.os === "windows"))
  const host = inheriting(enclosure === undefined ? runtime : enclosure.wrap(runtime))
  const terminator = makeTerminator(enclosure === undefined ? host : inheriting(runtime), settings.useJobObjects)
  const { endOrphans } = terminator
  const { capabilities, contextOf, files } = makePlanner(host, settings, watchdog?.marker)
  const plans = new PlanCache()
  const service: LocalShellService = {
    resolve: (exec, { constraints: pinned } = {}) =>
      Effect.sync(() => {
        const context = contextOf(exec, pinned)
        const planned = planCommand(exec, false, context, pinned)
        const resolved = resolveCommand(exec, planned, context, pinned)
        if (resolved !== undefined && Result.isSuccess(planned)) {
          plans.set(resolved, { exec, pinned, context, command: planned.success })
        }
        return resolved
      }),
    ...makeProcessRuns({
      ...settings,
      prepare: (exec, stdin, { descriptors, constraints: pinned, resolved, terminal }) => {
        const refused = validateTerminal(exec, terminal)
        if (refused !== undefined) return Result.fail(refused)
        const known = plans.take(resolved, exec, pinned)
        const context = known?.context ?? contextOf(exec, pinned)
        const { marker } = context
        const plan = known === undefined
          ? planCommand(exec, stdin, context, pinned)
          : Result.succeed(withStdin(known.command, stdin))
        const planned = Result.flatMap(plan, (command) => {
          const refusal = enclosure?.check(exec, command)
          return refusal === undefined ? Result.succeed(command) : Result.fail(refusal)
        })
        if (Result.isFailure(planned)) return Result.fail(planned.failure)
        const { executable } = planned.success
        const own = enclosure === undefined ? undefined : { commandId: exec.commandId }
        const piped = { ...planned.success.request, ...own, ...descriptors }
        const placed = terminal === undefined
          ? Result.succeed(piped)
          : terminalRequest(context.host, exec, piped, terminal)
        if (Result.isFailure(placed)) return Result.fail(placed.failure)
        const request = placed.success
        const toProcess = (process: HostProcess): SpawnedProcess =>
          toSpawnedProcess(process, { host, executable, terminator, marker, cleanup: settings.cleanup })
        return Result.succeed(() => {
          addLiveMarker(marker)
          const start = (): Effect.Effect<HostProcess, ShellFault> =>
            startCommand(exec, { executable, request }, context, pinned)
          const spawned = watchdog === undefined || watchdog.isRunning
            ? start()
            : Effect.andThen(startWatchdog(exec, watchdog), Effect.suspend(start))
          if (hasSucceeded(spawned)) return Effect.succeed(toProcess(spawned.value))
          return spawned.pipe(
            Effect.map(toProcess),
            Effect.tapCause(() => Effect.sync(() => removeLiveMarker(marker))),
          )
        })
      },
    }),
    endOrphans: endOrphans === undefined
      ? undefined
      : (commandId, { grace, hostPid } = {}) =>
        endOrphans(commandId, grace === undefined ? settings.grace : durationOf("grace", grace), hostPid),
    atProgramEnd: settings.cleanup ? atProgramEnd : undefined,
    files,
    capabilities: capabilities({
      leaf: `${enclosure?.leaf ?? "local"}/${host.runtime}`,
      groupKill: terminator.groupKill,
      escapees: terminator.escapees,
      orphans: endOrphans !== undefined,
      isolated: enclosure?.isolates === true,
    }, () => hasEngine(host)),
  }
  const machine: ScriptMachine = {
    directory: (exec) =>
      Result.map(planDirectory(exec, contextOf(exec, undefined), undefined), (path) => path ?? host.cwd() ?? "/"),
    variables: (exec) => exec.inheritEnvironment ?? settings.extendEnv ? host.environment() : {},
  }
  return {
    // Isolated commands do not have the files of this program.
    shell: withPortableScripts(service, settings, enclosure?.isolates === true ? undefined : machine),
    close: () => watchdog?.release(),
  }
}
