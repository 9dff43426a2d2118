/** Ends process trees synchronously, blocking the thread, while this program exits. */
import type { SyncProcessTable } from "./ProcessTable.ts"
import { type ProcessTree, TreeMembers } from "./TreeMembers.ts"

/** Grace period between SIGTERM and SIGKILL; it delays the exit of this program. */
const maxGraceMillis = 250

const maxKillMillis = 2_000

/** Blocks the thread. */
const sleep = (millis: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

export interface SyncProcessTree extends Omit<ProcessTree, "signal" | "table"> {
  readonly table: SyncProcessTable
  readonly signal: (pid: number, signal: string) => void
}

/** Sends SIGTERM, waits for a quarter of a second, and sends SIGKILL. Returns the processes that were alive at last. */
export const endTreeSync = ({ signal, table, ...tree }: SyncProcessTree): ReadonlyArray<number> => {
  const asyncTable = { sync: table, living: () => Promise.resolve(table.living()), marked: () => Promise.resolve([]) }
  const members = new TreeMembers({ ...tree, table: asyncTable, signal: () => Promise.resolve() })
  const stopAll = (until: number): ReadonlyArray<number> => {
    const stopped = new Set<number>()
    const stop = (pid: number): void => {
      stopped.add(pid)
      signal(pid, "SIGSTOP")
    }
    for (;;) {
      const { alive } = members.searchSync(table)
      const running = alive.filter((pid) => !stopped.has(pid))
      for (const pid of running) stop(pid)
      const { caught, complete } = members.pursue(stop)
      if ((complete && running.length === 0 && caught === 0) || performance.now() > until) return alive
    }
  }
  const startedAt = performance.now()
  const signalled = stopAll(startedAt + maxGraceMillis)
  for (const name of ["SIGTERM", "SIGCONT"]) for (const pid of signalled) signal(pid, name)
  const isAlive = (pid: number): boolean => table.entry(pid) !== undefined
  while (signalled.some(isAlive) && performance.now() < startedAt + maxGraceMillis) sleep(2)
  if (signalled.length === 0) return []
  const until = performance.now() + maxKillMillis
  for (;;) {
    const alive = stopAll(until)
    // Also when the time is up, as on a machine that starts processes faster than they can be checked: all are stopped.
    for (const pid of alive) signal(pid, "SIGKILL")
    if (alive.length === 0 || performance.now() > until) return alive
    sleep(2)
  }
}
