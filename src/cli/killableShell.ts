/**
 * Makes a local shell whose running commands can all be killed at once.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Host, HostProcess, SpawnRequest } from "../leaves/local/Host.ts"
import { currentHost } from "../leaves/local/currentHost.ts"
import { type LocalShellOptions, resolveLocalSettings } from "../leaves/local/LocalShellOptions.ts"
import { makeLocalShell } from "../leaves/local/makeLocalShell.ts"
import { markerName, nestedMarker, newMarker } from "../leaves/local/runMarker.ts"
import { systemShell } from "../leaves/local/systemShell.ts"
import { makeTerminator } from "../leaves/local/Terminator.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { ExitStatus } from "../shell/SpawnedProcess.ts"

/** A shell that can be killed. */
export interface KillableShell {
  readonly shell: ShellService
  /**
   * Kills all that was started, and leaves out the grace that the leaf may be granting already. Done when nobody
   * lives, or when nothing more helps.
   */
  readonly killAll: Effect.Effect<void>
}

/** The commands that run: each by its process, whatever became of its environment. */
class Running {
  readonly processes = new Set<HostProcess>()
  /** Any process that was started: a handle to look for the others with. */
  last: HostProcess | undefined

  /** Remembers a process until it has been reaped. */
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

/** Makes the local leaf of this runtime; `undefined` where no process can be started. */
export const makeKillableShell = (given: LocalShellOptions = {}): KillableShell | undefined => {
  const host = currentHost()
  if (host === undefined) return undefined
  // A command does not outlive the command line that was killed.
  const canWatch = host.os === "linux" && systemShell(host) !== undefined
  const options: LocalShellOptions = { dieWithParent: canWatch, ...given }
  const running = new Running()
  const marker = newMarker()
  const outer = host.variable(markerName)
  const remembering: Host = {
    ...host,
    // A run within a run carries both marks: so each command carries ours beside its own.
    variable: (name) => name === markerName ? nestedMarker(outer, marker) : host.variable(name),
    spawn: (request: SpawnRequest) => {
      const process = host.spawn(request)
      return process instanceof Promise ? process.then((started) => running.add(started)) : running.add(process)
    },
  }
  return {
    shell: makeLocalShell(remembering, resolveLocalSettings(options)),
    killAll: Effect.suspend(() => {
      const { last, processes } = running
      if (last === undefined) return Effect.void
      const { terminate } = makeTerminator(host)
      const kill = (process: HostProcess): Effect.Effect<void> =>
        terminate(process, marker, () => !processes.has(process), Duration.zero)
      // Without a process of their own there still may be those that outlived it.
      const all = processes.size === 0 ? [last] : [...processes]
      return Effect.forEach(all, kill, { concurrency: "unbounded", discard: true })
    }),
  }
}
