/**
 * Sends a signal to the command behind the walls, not to the engine that was started: finds it as the descendant at a
 * known depth.
 *
 * Source: proc_tid_children(5).
 */
import type { Host, HostProcess } from "../../host/Host.ts"

/** Time in which the engine must start the command. */
const maxStartMillis = 5_000

const textOf = (host: Host, pid: number, file: string): string => host.readText(`/proc/${pid}/${file}`) ?? ""

const childrenOf = (host: Host, pid: number): ReadonlyArray<number> =>
  textOf(host, pid, `task/${pid}/children`).split(" ").filter((child) => child.trim() !== "").map(Number)

/**
 * The first child that has become another program; `undefined` until one has. The command and the relay of the network start as
 * copies of the launcher, and the relay stays one. A process that has just ended has no command line.
 */
const programIn = (host: Host, parent: number): number | undefined => {
  const own = textOf(host, parent, "cmdline")
  const others = childrenOf(host, parent).map((pid) => ({ pid, line: textOf(host, pid, "cmdline") }))
    .filter(({ line }) => line !== own)
  return (others.find(({ line }) => line !== "") ?? others[0])?.pid
}

/** The process at a given number of generations below another one; `undefined` until it has started. */
const descendantAt = (host: Host, pid: number, depth: number): number | undefined => {
  if (depth === 0) return pid
  const child = depth === 1 ? programIn(host, pid) : childrenOf(host, pid)[0]
  return child === undefined ? undefined : descendantAt(host, child, depth - 1)
}

/**
 * Sends the signal as soon as the command has started, `depth` generations below the engine. Without `/proc`, the
 * engine gets the signal, and the whole tree ends.
 */
export const signalInside = (
  host: Host,
  process: HostProcess,
  depth: number,
  signal: string,
  isGone: () => boolean,
): void => {
  const send = host.signal
  if (send === undefined || !host.readsProc) return process.kill(signal)
  const deadline = performance.now() + maxStartMillis
  const attempt = (): void => {
    if (isGone()) return
    const pid = descendantAt(host, process.pid, depth)
    if (pid !== undefined) return void send(pid, signal)
    if (performance.now() < deadline) setTimeout(attempt, 2)
  }
  attempt()
}
