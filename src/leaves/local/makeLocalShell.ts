/**
 * The Shell service over a host.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { durationOf } from "../../base/duration.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { inheritsFrom } from "../../shell/access/inheritedVariables.ts"
import type { Pinned } from "../../shell/access/LeafFiles.ts"
import { type ProcessRuns, runsOf } from "../../shell/ProcessLeaf.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { ByteReader, ExitStatus, Spawned } from "../../shell/Spawned.ts"
import { endWithProgram } from "./endWithProgram.ts"
import type { Host, HostProcess } from "./Host.ts"
import { inheriting } from "./inheriting.ts"
import { enforceableLimits } from "./limits.ts"
import { runBegins, runIsOver } from "./liveRuns.ts"
import { leafFiles } from "./leafFiles.ts"
import { planCommand } from "./LocalCommand.ts"
import type { LocalContext } from "./LocalContext.ts"
import type { LocalShellSettings } from "./LocalShellOptions.ts"
import { newMarker } from "./runMarker.ts"
import { makeResolver } from "./resolve-cache.ts"
import { resolveCommand } from "./resolveCommand.ts"
import { spawnCommand } from "./spawnCommand.ts"
import { systemShell } from "./systemShell.ts"
import { makeTerminator, type Terminator } from "./terminate.ts"

/** Where `prlimit` is, where there is one. */
export const findPrlimit = (host: Host): string | undefined =>
  host.os === "linux"
    ? ["/usr/bin/prlimit", "/bin/prlimit"].find((path) => host.fileKind(path) === "executable" && host.mayRun(path))
    : undefined

const hasChildren = (host: Host, pid: number): boolean =>
  (host.readText(`/proc/${pid}/task/${pid}/children`) ?? "").trim() !== ""

/** The output of a process that has no pipe for it. */
const noOutput: ByteReader = { read: (done) => done(undefined), release: () => {} }

const spawnedOf = (
  host: Host,
  process: HostProcess,
  executable: string,
  terminator: Terminator,
  marker: string,
  cleanup: boolean,
): Spawned => {
  let status: ExitStatus | undefined
  const listeners: Array<(status: ExitStatus) => void> = []
  process.onExit((exit) => {
    status = exit
    for (const listener of listeners) listener(exit)
  })
  const hasExited = (): boolean => status !== undefined
  const forget = cleanup ? endWithProgram({ process, marker, hasExited }, terminator) : undefined
  const { job, pid, stderr, stdin, stdout } = process
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
    // Its children, if it has some, may be the ones who wrote: they are left to see the closed socket themselves.
    ...(host.pipesAreSockets
      ? { breakPipe: () => hasChildren(host, pid) ? undefined : process.kill("SIGPIPE") }
      : undefined),
    release: () => {
      runIsOver(marker)
      forget?.()
      job?.release()
    },
    signal: process.kill,
    terminate: (grace) => terminator.terminate(process, marker, hasExited, grace),
  }
}

/** The Shell service of a local leaf: its processes can have descriptors of this program. */
export type LocalShellService = ShellService & ProcessRuns

/** Makes the Shell service of a host. One admission for all commands of the service. */
export const makeLocalShell = (given: Host, settings: LocalShellSettings): LocalShellService => {
  const { inheritedVariables } = settings
  const host = inheritedVariables === undefined
    ? given
    : inheriting(given, inheritsFrom(inheritedVariables, given.os === "windows"))
  const terminator = makeTerminator(host, settings.useJobObjects)
  const { endOrphans } = terminator
  const resolve = makeResolver()
  const shell = systemShell(host)
  const platform = host.os === "windows" ? "windows" : "posix"
  let found: { readonly prlimit: string | undefined } | undefined
  const prlimit = (): string | undefined => (found ??= { prlimit: findPrlimit(host) }).prlimit
  const contextOf = (exec: ShellExec, pinned: Pinned | undefined): LocalContext => ({
    host: pinned?.inherits === undefined ? host : inheriting(host, pinned.inherits),
    settings,
    platform,
    resolve,
    nowMillis: performance.now(),
    marker: newMarker(exec.commandId, host.pid),
    shell,
    prlimit: exec.limits === undefined && settings.limits === undefined ? undefined : prlimit(),
  })
  return {
    resolve: (exec, { pinned } = {}) => resolveCommand(exec, contextOf(exec, pinned), pinned),
    ...runsOf({
      ...settings,
      prepare: (exec, stdin, { descriptors, pinned }) => {
        const context = contextOf(exec, pinned)
        const { marker } = context
        return Result.map(planCommand(exec, stdin, context, pinned), ({ executable, request }) =>
          Effect.suspend(() => {
            runBegins(marker)
            return spawnCommand(exec, { executable, request: { ...request, ...descriptors } }, context, pinned)
          }).pipe(
            Effect.map((process) => spawnedOf(host, process, executable, terminator, marker, settings.cleanup)),
            Effect.tapCause(() => Effect.sync(() => runIsOver(marker))),
          ))
      },
    }),
    endOrphans: endOrphans === undefined
      ? undefined
      : (commandId, { grace, hostPid } = {}) =>
        endOrphans(commandId, grace === undefined ? settings.gracePeriod : durationOf("grace", grace), hostPid),
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
}
