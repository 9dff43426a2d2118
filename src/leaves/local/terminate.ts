/**
 * How a command is ended on this host: chosen once, by what the host allows.
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Host, HostProcess } from "./Host.ts"
import { type ProcessTable, procTable, psTable, shellTable } from "./ProcessTable.ts"
import { runHelper } from "./runHelper.ts"
import { terminateTree, type Tree } from "./terminateTree.ts"

export { markerName } from "./runMarker.ts"

/** What ends commands on a host. */
export interface Terminator {
  readonly groupKill: "native" | "helper" | "none"
  readonly escapees: boolean
  /** Ends the tree under a process. `hasExited` tells whether the process itself has been reaped. */
  readonly terminate: (
    process: HostProcess,
    marker: string,
    hasExited: () => boolean,
    grace: Duration.Duration,
  ) => Effect.Effect<void>
  /** The same tree for those who end it their own way; missing where no other process can be seen or signalled. */
  readonly treeOf?: ((process: HostProcess, marker: string, hasExited: () => boolean) => Tree) | undefined
}

/** Ends only the process that was started: all that is left when no other may be signalled or seen. */
const childOnly: Terminator = {
  groupKill: "none",
  escapees: false,
  terminate: (process, _marker, hasExited, grace) => {
    const exited = Effect.callback<void>((resume) => {
      const timer = setInterval(() => {
        if (hasExited()) resume(Effect.void)
      }, 5)
      return Effect.sync(() => clearInterval(timer))
    })
    return Effect.gen(function* () {
      if (hasExited()) return
      process.kill("SIGTERM")
      yield* Effect.timeoutOption(exited, grace)
      if (hasExited()) return
      process.kill("SIGKILL")
      yield* Effect.timeoutOption(exited, "2 seconds")
    })
  },
}

/** `taskkill /T /F` ends the tree at once: Windows has no way to ask (Compute Branch, "Process Termination"). */
const taskkill = (host: Host): Terminator => ({
  groupKill: "helper",
  escapees: false,
  terminate: (process, _marker, hasExited, grace) =>
    Effect.gen(function* () {
      if (hasExited()) return
      yield* Effect.promise(() => runHelper(host)("taskkill", ["/pid", String(process.pid), "/T", "/F"]))
      if (!hasExited()) yield* childOnly.terminate(process, "", hasExited, grace)
    }),
})

const tableOf = (host: Host): ProcessTable | undefined => {
  if (host.readsProc) return procTable(host)
  if (host.os === "linux") return host.mayRun("/bin/sh") ? shellTable(runHelper(host)) : undefined
  return host.mayRun("/bin/ps") ? psTable(runHelper(host)) : undefined
}

/** Chooses how commands are ended on this host. */
export const makeTerminator = (host: Host): Terminator => {
  if (host.os === "windows") return host.mayRun("taskkill") ? taskkill(host) : childOnly
  const table = tableOf(host)
  const native = host.signal
  if (table === undefined || (native === undefined && !host.mayRun("kill"))) return childOnly
  const signal = native === undefined
    ? async (pids: ReadonlyArray<number>, name: string): Promise<void> => {
      await runHelper(host)("kill", ["-s", name.slice(3), "--", ...pids.map(String)])
    }
    : (pids: ReadonlyArray<number>, name: string): Promise<void> => {
      for (const pid of pids) native(pid, name)
      return Promise.resolve()
    }
  const treeOf: Terminator["treeOf"] = (process, marker, hasExited) => ({
    root: process.pid,
    rootGone: hasExited,
    marker,
    table,
    signal,
  })
  return {
    groupKill: native !== undefined && host.readsProc ? "native" : "helper",
    escapees: true,
    terminate: (process, marker, hasExited, grace) => terminateTree(treeOf(process, marker, hasExited), grace),
    treeOf,
  }
}
