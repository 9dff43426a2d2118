/**
 * The Shell service over a host.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { runsOf } from "../../shell/ProcessLeaf.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { ExitStatus, Spawned } from "../../shell/Spawned.ts"
import { errorCode } from "./errorCode.ts"
import { endWithProgram } from "./endWithProgram.ts"
import type { Host, HostProcess } from "./Host.ts"
import { enforceableLimits } from "./limits.ts"
import { runBegins, runIsOver } from "./liveRuns.ts"
import { leafFiles } from "./leafFiles.ts"
import { planCommand } from "./LocalCommand.ts"
import type { LocalContext } from "./LocalContext.ts"
import type { LocalShellSettings } from "./LocalShellOptions.ts"
import { newMarker } from "./runMarker.ts"
import { makeResolver } from "./resolve-cache.ts"
import { spawnCommand } from "./spawnCommand.ts"
import { systemShell } from "./systemShell.ts"
import { makeTerminator, type Terminator } from "./terminate.ts"
import { Watchdog } from "./Watchdog.ts"

/** Where `prlimit` is, where there is one. */
export const findPrlimit = (host: Host): string | undefined =>
  host.os === "linux"
    ? ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => host.fileKind(path) === "executable" && host.mayRun(path))
    : undefined

const hasChildren = (host: Host, pid: number): boolean =>
  (host.readText(`/proc/${pid}/task/${pid}/children`) ?? "").trim() !== ""

const spawnedOf = (
  host: Host,
  process: HostProcess,
  executable: string,
  terminator: Terminator,
  marker: string,
  cleanup: boolean,
): Spawned => {
  let status: ExitStatus | undefined
  let listener: ((status: ExitStatus) => void) | undefined
  process.onExit((exit) => {
    status = exit
    listener?.(exit)
  })
  const hasExited = (): boolean => status !== undefined
  const forget = cleanup ? endWithProgram({ process, marker, hasExited }, terminator) : undefined
  const { job, pid, stderr, stdin, stdout } = process
  if (stdout === undefined) throw new TypeError("a local command's stdout is a pipe")
  return {
    executable,
    pid,
    stdout,
    stderr,
    stdin,
    onExit: (done) => {
      if (status === undefined) listener = done
      else done(status)
    },
    // Its children, if it has some, may be the ones who wrote: they are left to see the closed socket themselves.
    ...(host.pipesAreSockets
      ? { breakPipe: () => hasChildren(host, pid) ? undefined : process.kill("SIGPIPE") }
      : undefined),
    release: () => {
      runIsOver(marker)
      forget?.()
      job?.release()
    },
    terminate: (grace) => terminator.terminate(process, marker, hasExited, grace),
  }
}

/** The watchdog of a leaf that has one. Throws where it could not end anything. */
const watchdogOf = (host: Host, shell: string | undefined, settings: LocalShellSettings): Watchdog | undefined => {
  if (!settings.dieWithParent) return undefined
  if (host.os !== "linux" || shell === undefined) {
    throw new RangeError("LocalShell: dieWithParent needs Linux, and sh, which this program must be allowed to run")
  }
  return new Watchdog(host, shell, Duration.toMillis(settings.gracePeriod))
}

const watched = (exec: ShellExec, watchdog: Watchdog): Effect.Effect<void, ShellFault> =>
  Effect.tryPromise({
    try: () => watchdog.start(),
    catch: (error) =>
      ShellFault.because(
        exec.commandId,
        { _tag: "Unknown", code: errorCode(error, "posix") ?? "UNKNOWN" },
        `exec: ${exec.command} was not started: the watchdog of dieWithParent cannot be (${
          errorCode(error, "posix") ?? "UNKNOWN"
        })`,
        { exception: error },
      ),
  })

/** A Shell service, and what ends what it has beside its commands. */
export interface Leaf {
  readonly shell: ShellService
  readonly close: () => void
}

/** Makes the Shell service of a host, for as long as this program lives: see {@link makeLeaf}. */
export const makeLocalShell = (host: Host, settings: LocalShellSettings): ShellService => makeLeaf(host, settings).shell

/** Makes the Shell service of a host. One admission for all commands of the service. */
export const makeLeaf = (given: Host, settings: LocalShellSettings): Leaf => {
  const shell = systemShell(given)
  const watchdog = watchdogOf(given, shell, settings)
  const host = watchdog === undefined ? given : watchdog.marking()
  const terminator = makeTerminator(host, settings.useJobObjects)
  const { endOrphans } = terminator
  const resolve = makeResolver()
  const platform = host.os === "windows" ? "windows" : "posix"
  let found: { readonly prlimit: string | undefined } | undefined
  const prlimit = (): string | undefined => (found ??= { prlimit: findPrlimit(host) }).prlimit
  const service: ShellService = {
    ...runsOf({
      ...settings,
      prepare: (exec, stdin, pinned) => {
        const marker = newMarker(exec.commandId, host.pid)
        const context: LocalContext = {
          host,
          settings,
          platform,
          resolve,
          nowMillis: performance.now(),
          marker,
          shell,
          prlimit: exec.limits === undefined ? undefined : prlimit(),
        }
        return Result.map(planCommand(exec, stdin, context, pinned), (command) =>
          Effect.suspend(() => {
            runBegins(marker)
            const spawn = spawnCommand(exec, command, context, pinned)
            return watchdog === undefined || watchdog.isRunning ? spawn : Effect.andThen(watched(exec, watchdog), spawn)
          }).pipe(
            Effect.map((process) => spawnedOf(host, process, command.executable, terminator, marker, settings.cleanup)),
            Effect.tapCause(() => Effect.sync(() => runIsOver(marker))),
          ))
      },
    }),
    endOrphans: endOrphans === undefined
      ? undefined
      : (commandId, { grace, hostPid } = {}) =>
        endOrphans(commandId, grace === undefined ? settings.gracePeriod : Duration.fromInputUnsafe(grace), hostPid),
    files: leafFiles(host, settings, platform),
    capabilities: {
      leaf: `local/${host.runtime}`,
      platform,
      groupKill: terminator.groupKill,
      escapees: terminator.escapees,
      orphans: endOrphans !== undefined,
      get limits() {
        return enforceableLimits(host, prlimit())
      },
      exactOrder: platform === "windows" || shell !== undefined,
      pty: false,
      backPressure: true,
      resolvesPath: host.fileKind("/") === "directory",
    },
  }
  return { shell: service, close: () => watchdog?.release() }
}
