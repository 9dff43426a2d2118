/** Makes a local or isolated shell, and an Effect that kills all processes of its running commands at once. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { JournalService } from "../journal/JournalService.ts"
import type { Host, HostProcess, SpawnRequest } from "../host/Host.ts"
import { findHost } from "../host/findHost.ts"
import { type LocalShellOptions, resolveLocalSettings } from "../leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../leaves/local/makeLocalService.ts"
import { markerName, nestedMarker, newMarker } from "../host/runMarker.ts"
import { systemShell } from "../host/systemShell.ts"
import { makeTerminator } from "../leaves/local/end/Terminator.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { ExitStatus } from "../shell/SpawnedProcess.ts"
import type { IsolationRequest } from "./isolationFlags.ts"
import type { NetworkReports } from "./makeIsolated.ts"
import { UsageError } from "./UsageError.ts"
import { hostAndPort } from "../egress/canonicalHost.ts"
import type { CliProcess } from "./CliProcess.ts"
import { ProcessOutput } from "./ProcessOutput.ts"
import { tryMessage } from "./writeMessage.ts"

/** Maximum number of refused hosts that a run reports; a command chooses their names. */
const maxRefusals = 20

/** Makes the report of one run: each host and port once. */
const reportRefused = (cli: CliProcess): NetworkReports["refused"] => {
  const reported = new Set<string>()
  const output = new ProcessOutput(cli)
  return ({ host, message = "", port }) => {
    const place = hostAndPort(host, port)
    if (reported.has(place) || reported.size >= maxRefusals) return Effect.void
    reported.add(place)
    const rest = reported.size === maxRefusals ? "; further hosts are not reported" : ""
    return tryMessage(output, `no connection to ${place}: ${message}${rest}`)
  }
}

export interface KillableShell {
  readonly shell: ShellService
  /**
   * Kills all processes of running commands, also during a grace period. Completes when none is left alive, or further
   * signals would have no effect.
   */
  readonly killAll: Effect.Effect<void>
  /** Provides the journal for network decisions about isolated commands. */
  readonly journalNetwork: (journal: JournalService) => void
}

/** Tracks running commands by their processes, even if they have changed their environment. */
class ProcessTracker {
  readonly processes = new Set<HostProcess>()
  /** A process that was started: the handle for finding the others. */
  last: HostProcess | undefined

  /** Tracks a process until it has been reaped. */
  add(process: HostProcess): HostProcess {
    let status: ExitStatus | undefined
    let listener: ((status: ExitStatus) => void) | undefined
    this.processes.add(process)
    this.last = process
    process.onExit((exit) => {
      this.processes.delete(process)
      status = exit
      listener?.(exit)
    })
    return {
      ...process,
      onExit: (done) => {
        if (status === undefined) listener = done
        else done(status)
      },
    }
  }
}

export interface KillableShellOptions extends LocalShellOptions {
  /**
   * POSIX: each command leads a session of its own, without the terminal of this program: it neither reads what is typed there,
   * nor types into it (TIOCSTI), nor gets its signals. Default: `false`.
   */
  readonly ownSession?: boolean | undefined
  /** The directory from which relative program paths start, in place of this process's own. Default: its own. */
  readonly entered?: string | undefined
  readonly isolation?: IsolationRequest | undefined
}

/** Makes the local or the isolated leaf of this runtime; fails where the runtime cannot start processes. */
export const makeKillableShell = (
  cli: CliProcess,
  options: KillableShellOptions = {},
): Effect.Effect<KillableShell, UsageError, Scope.Scope> =>
  Effect.suspend(() => {
    const host = findHost()
    return host === undefined
      ? Effect.fail(new UsageError("needs Deno, Bun or Node"))
      : killableShellOf(cli, host, options)
  })

const makeShell = (
  cli: CliProcess,
  host: Host,
  { entered, isolation, ownSession = false, ...given }: KillableShellOptions,
  journal: () => JournalService | undefined,
): Effect.Effect<ShellService, UsageError, Scope.Scope> => {
  if (isolation !== undefined) {
    return Effect.flatMap(
      Effect.promise(() => import("./makeIsolated.ts")),
      ({ makeIsolated }) => makeIsolated(host, isolation, given, { journal, refused: reportRefused(cli) }),
    )
  }
  // A command does not outlive a killed command line.
  const canWatch = host.os === "linux" && systemShell(host) !== undefined
  const options: LocalShellOptions = { dieWithParent: canWatch, ...given }
  const placed = entered === undefined ? host : { ...host, cwd: () => entered }
  return Effect.sync(() => makeLocalShell(placed, { ...resolveLocalSettings(options), ownSession }))
}

const killableShellOf = (
  cli: CliProcess,
  host: Host,
  options: KillableShellOptions,
): Effect.Effect<KillableShell, UsageError, Scope.Scope> => {
  let journal: JournalService | undefined
  const tracker = new ProcessTracker()
  const marker = newMarker()
  const outerMarker = host.variable(markerName)
  const trackingHost: Host = {
    ...host,
    // A nested run carries both markers, so each command gets this marker in addition to its own.
    variable: (name) => name === markerName ? nestedMarker(outerMarker, marker) : host.variable(name),
    spawn: (request: SpawnRequest) => {
      const process = host.spawn(request)
      return process instanceof Promise ? process.then((started) => tracker.add(started)) : tracker.add(process)
    },
  }
  return Effect.map(makeShell(cli, trackingHost, options, () => journal), (shell) => ({
    shell,
    journalNetwork: (opened) => void (journal = opened),
    killAll: Effect.suspend(() => {
      const { last, processes } = tracker
      if (last === undefined) return Effect.void
      const { terminate } = makeTerminator(host)
      const kill = (process: HostProcess): Effect.Effect<void> =>
        terminate(process, marker, () => !processes.has(process), Duration.zero)
      // Commands without live processes may still have left descendants.
      const all = processes.size === 0 ? [last] : [...processes]
      return Effect.forEach(all, kill, { concurrency: "unbounded", discard: true })
    }),
  }))
}
