/**
 * How a command is ended on this host: chosen once, by what the host allows.
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { OrphanReport } from "../../shell/ShellService.ts"
import { endNow } from "./endNow.ts"
import { endOrphans, noOrphans } from "./endOrphans.ts"
import type { RunningTree } from "./endWithProgram.ts"
import type { Host, HostProcess } from "./Host.ts"
import { type ProcessTable, procTable, psTable, shellTable } from "./ProcessTable.ts"
import { runHelper } from "./runHelper.ts"
import { systemShell } from "./systemShell.ts"
import { terminateTree, type Tree } from "./terminateTree.ts"
import { endTree, taskkillPath } from "./windows/endTree.ts"

export { markerName } from "./runMarker.ts"

/** What ends commands on a host. */
export interface Terminator {
  readonly groupKill: "native" | "helper" | "none"
  readonly escapees: boolean
  /**
   * Ends the tree under a process. `hasExited` tells whether the process itself has been reaped. Answers with the ids of
   * those that could not be ended.
   */
  readonly terminate: (
    process: HostProcess,
    marker: string,
    hasExited: () => boolean,
    grace: Duration.Duration,
  ) => Effect.Effect<ReadonlyArray<number>>
  /**
   * Ends the trees of commands without waiting, because this program is about to exit; where no other process can be
   * seen without waiting, only the processes that were started.
   */
  readonly endNow: (trees: ReadonlyArray<RunningTree>) => void
  /** The same tree for those who end it their own way; missing where no other process can be seen or signalled. */
  readonly treeOf?: ((process: HostProcess, marker: string, hasExited: () => boolean) => Tree) | undefined
  /** Ends what is left of a command whose host was lost; missing where no other process can be seen or signalled. */
  readonly endOrphans?:
    | ((commandId: string, grace: Duration.Duration, hostPid?: number) => Effect.Effect<OrphanReport, ShellFault>)
    | undefined
}

/** Kills the processes that were started, and no others. */
const killOnly: Terminator["endNow"] = (trees) => {
  for (const { hasExited, process } of trees) if (!hasExited()) process.kill("SIGKILL")
}

/** Ends only the process that was started: all that is left when no other may be signalled or seen. */
const childOnly: Terminator = {
  groupKill: "none",
  escapees: false,
  endNow: killOnly,
  terminate: (process, _marker, hasExited, grace) => {
    const exited = Effect.callback<void>((resume) => {
      const timer = setInterval(() => {
        if (!hasExited()) return
        clearInterval(timer)
        resume(Effect.void)
      }, 5)
      return Effect.sync(() => clearInterval(timer))
    })
    return Effect.gen(function* () {
      if (hasExited()) return []
      process.kill("SIGTERM")
      yield* Effect.timeoutOption(exited, grace)
      if (hasExited()) return []
      process.kill("SIGKILL")
      yield* Effect.timeoutOption(exited, "2 seconds")
      return hasExited() ? [] : [process.pid]
    })
  },
}

/** By job objects where there are some, else by `taskkill`. */
const windows = (host: Host, jobs: boolean): Terminator => {
  const native = jobs && host.jobObjects === true
  return {
    groupKill: native ? "native" : host.mayRun(taskkillPath(host)) ? "helper" : "none",
    escapees: native,
    endNow: (trees) => {
      for (const { process: { job } } of trees) job?.terminate()
      killOnly(trees)
    },
    terminate: (process, _marker, hasExited) => Effect.as(endTree(host, process, hasExited), []),
    // Windows has ended them: it closed the handle of their job with all others of the host (JobObject.ts). That holds
    // for a host that had jobs too, and not for who was started in the moment before its parent was put into one.
    ...(native ? { endOrphans: () => Effect.succeed(noOrphans) } : undefined),
  }
}

const tableOf = (host: Host, shell: string | undefined): ProcessTable | undefined => {
  if (host.readsProc) return procTable(host)
  if (host.os === "linux") return shell === undefined ? undefined : shellTable(runHelper(host), shell)
  return host.mayRun("/bin/ps") ? psTable(runHelper(host)) : undefined
}

/** Chooses how commands are ended on this host. `jobs`: whether they are put into job objects where there are some. */
export const makeTerminator = (host: Host, jobs: boolean = true): Terminator => {
  if (host.os === "windows") return windows(host, jobs)
  const shell = systemShell(host)
  const table = tableOf(host, shell)
  const native = host.signal
  const quick = table?.quick
  if (table === undefined || (native === undefined && shell === undefined)) return childOnly
  const signal = native === undefined
    ? async (pids: ReadonlyArray<number>, name: string): Promise<void> => {
      // Every shell has a `kill` of its own (POSIX, "kill"): no second program is to be allowed.
      await runHelper(host)(shell ?? "sh", ["-c", 'kill -s "$0" "$@"', name.slice(3), ...pids.map(String)])
    }
    : (pids: ReadonlyArray<number>, name: string): Promise<void> => {
      for (const pid of pids) native(pid, name)
      return Promise.resolve()
    }
  const treeOf: Terminator["treeOf"] = (process, marker, hasExited) => ({
    roots: () => hasExited() ? [] : [process.pid],
    marker,
    table,
    signal,
  })
  return {
    groupKill: native !== undefined && host.readsProc ? "native" : "helper",
    escapees: true,
    endNow: quick === undefined || native === undefined ? killOnly : (trees) => {
      endNow({
        roots: () => trees.flatMap(({ hasExited, process }) => hasExited() ? [] : [process.pid]),
        marker: trees.map((tree) => tree.marker),
        quick,
        signal: native,
      })
    },
    terminate: (process, marker, hasExited, grace) => terminateTree(treeOf(process, marker, hasExited), grace),
    treeOf,
    endOrphans: (commandId, grace, hostPid) => endOrphans({ table, signal }, host.pid, commandId, grace, hostPid),
  }
}
