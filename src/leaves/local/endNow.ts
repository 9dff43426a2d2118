/**
 * Ends process trees without waiting for the event loop: this program is about to exit, and nothing else runs any more.
 *
 * @module
 */
import type { QuickLook } from "./ProcessTable.ts"
import { Members, type Tree } from "./terminateTree.ts"

/** How long trees may take to end in order. The exit of this program waits as long. */
const graceMillis = 250

/** How long they may take to be killed. */
const killMillis = 2_000

/** Blocks the thread. */
const sleep = (millis: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

/** What is to be ended: one tree, or several as one. */
export interface DoomedTree extends Omit<Tree, "signal" | "table"> {
  readonly quick: QuickLook
  readonly signal: (pid: number, signal: string) => void
}

/** SIGTERM to all, a quarter of a second, SIGKILL to all. Answers with those who live on. */
export const endNow = ({ quick, signal, ...doomed }: DoomedTree): ReadonlyArray<number> => {
  const table = { quick, living: () => Promise.resolve(quick.living()), marked: () => Promise.resolve([]) }
  const members = new Members({ ...doomed, table, signal: () => Promise.resolve() })
  const freeze = (until: number): ReadonlyArray<number> => {
    const stopped = new Set<number>()
    const stop = (pid: number): void => {
      stopped.add(pid)
      signal(pid, "SIGSTOP")
    }
    for (;;) {
      const { alive } = members.lookNow(quick)
      const running = alive.filter((pid) => !stopped.has(pid))
      for (const pid of running) stop(pid)
      const { caught, complete } = members.pursue(stop)
      if ((complete && running.length === 0 && caught === 0) || performance.now() > until) return alive
    }
  }
  const began = performance.now()
  const asked = freeze(began + graceMillis)
  for (const name of ["SIGTERM", "SIGCONT"]) for (const pid of asked) signal(pid, name)
  const lives = (pid: number): boolean => quick.entry(pid) !== undefined
  while (asked.some(lives) && performance.now() < began + graceMillis) sleep(2)
  if (asked.length === 0) return []
  const until = performance.now() + killMillis
  for (;;) {
    const alive = freeze(until)
    if (alive.length === 0 || performance.now() > until) return alive
    for (const pid of alive) signal(pid, "SIGKILL")
    sleep(2)
  }
}
