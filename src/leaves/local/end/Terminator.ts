/** Chooses how a host ends commands: as process trees, by job objects or `taskkill`, or the child alone. */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ShellFault } from "../../../command/ShellFault.ts"
import type { OrphanReport } from "../../../shell/ShellService.ts"
import { endTreeSync } from "./endTreeSync.ts"
import { emptyOrphanReport, endOrphans } from "./endOrphans.ts"
import type { Host, HostProcess } from "../../../host/Host.ts"
import { type ProcessTable, procTable, psTable, shellTable } from "./ProcessTable.ts"
import { runHelper } from "../../../host/runHelper.ts"
import { systemShell } from "../../../host/systemShell.ts"
import { maxReapMillis, terminateTree } from "./terminateTree.ts"
import type { ProcessTree } from "./TreeMembers.ts"
import { waitUntil } from "../../../host/waitRealTime.ts"
import { endTree, taskkillPath } from "./endWindowsTree.ts"

export { markerName } from "../../../host/runMarker.ts"

/** A running command: its process and the marker of its descendants. */
export interface RunningCommand {
  readonly process: HostProcess
  readonly marker: string
  readonly hasExited: () => boolean
}

/** Ends commands on a host. */
export interface Terminator {
  readonly groupKill: "native" | "helper" | "none"
  readonly escapees: boolean
  /**
   * Ends the tree of a process. `hasExited` returns whether the process itself has been reaped. Succeeds with the ids of
   * processes that could not be ended.
   */
  readonly terminate: (
    process: HostProcess,
    marker: string,
    hasExited: () => boolean,
    grace: Duration.Duration,
  ) => Effect.Effect<ReadonlyArray<number>>
  /**
   * Ends the trees of commands synchronously, while this program exits; where other processes cannot be read synchronously,
   * only the started processes.
   */
  readonly endSync: (trees: ReadonlyArray<RunningCommand>) => void
  /** Describes the tree for other ways to end it; `undefined` where other processes cannot be read or signalled. */
  readonly treeOf?: ((process: HostProcess, marker: string, hasExited: () => boolean) => ProcessTree) | undefined
  /** Ends the remaining processes of a lost host's command; `undefined` where other processes cannot be read or signalled. */
  readonly endOrphans?:
    | ((commandId: string, grace: Duration.Duration, hostPid?: number) => Effect.Effect<OrphanReport, ShellFault>)
    | undefined
}

/** Kills the started processes and no others. */
const killChildren: Terminator["endSync"] = (trees) => {
  for (const { hasExited, process } of trees) if (!hasExited()) process.kill("SIGKILL")
}

/** Ends only the started process, where other processes cannot be read or signalled. */
const terminateChildOnly: Terminator = {
  groupKill: "none",
  escapees: false,
  endSync: killChildren,
  terminate: (process, _marker, hasExited, grace) =>
    Effect.gen(function* () {
      if (hasExited()) return []
      process.kill("SIGTERM")
      yield* Effect.timeoutOption(waitUntil(Effect.sync(hasExited), Infinity), grace)
      if (hasExited()) return []
      process.kill("SIGKILL")
      return (yield* waitUntil(Effect.sync(hasExited), maxReapMillis)) ? [] : [process.pid]
    }),
}

/** Ends commands by job objects where they are available, otherwise by `taskkill`. */
const makeWindowsTerminator = (host: Host, jobs: boolean): Terminator => {
  const native = jobs && host.jobObjects === true
  return {
    groupKill: native ? "native" : host.mayRun(taskkillPath(host)) ? "helper" : "none",
    escapees: native,
    endSync: (trees) => {
      for (const { process: { job } } of trees) job?.terminate()
      killChildren(trees)
    },
    terminate: (process, _marker, hasExited) => Effect.as(endTree(host, process, hasExited), []),
    // Windows has ended them: it closed the handle of their job together with the lost host's (JobObject.ts). This holds if
    // that host used jobs too, and not for a process that started just before its parent was put into one.
    ...(native ? { endOrphans: () => Effect.succeed(emptyOrphanReport) } : undefined),
  }
}

const tableOf = (host: Host, shell: string | undefined): ProcessTable | undefined => {
  if (host.readsProc) return procTable(host)
  if (host.os === "linux") return shell === undefined ? undefined : shellTable(runHelper(host), shell)
  return host.mayRun("/bin/ps") ? psTable(runHelper(host)) : undefined
}

/** Chooses how commands are ended on a host. `jobs`: whether they are put into job objects where those are available. */
export const makeTerminator = (host: Host, jobs: boolean = true): Terminator => {
  if (host.os === "windows") return makeWindowsTerminator(host, jobs)
  const shell = systemShell(host)
  const table = tableOf(host, shell)
  const native = host.signal
  const syncTable = table?.sync
  if (table === undefined || (native === undefined && shell === undefined)) return terminateChildOnly
  const signal = native === undefined
    ? async (pids: ReadonlyArray<number>, name: string): Promise<void> => {
      // `kill` is built into every shell (POSIX), so no second program needs permission.
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
    endSync: syncTable === undefined || native === undefined ? killChildren : (trees) => {
      endTreeSync({
        roots: () => trees.flatMap(({ hasExited, process }) => hasExited() ? [] : [process.pid]),
        marker: trees.map((tree) => tree.marker),
        table: syncTable,
        signal: native,
      })
    },
    terminate: (process, marker, hasExited, grace) => terminateTree(treeOf(process, marker, hasExited), grace),
    treeOf,
    endOrphans: (commandId, grace, hostPid) => endOrphans({ table, signal }, host.pid, commandId, grace, hostPid),
  }
}
