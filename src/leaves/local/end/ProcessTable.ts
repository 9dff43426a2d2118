/**
 * Lists the machine's processes with their parents, and those with a marker in their environment, from `/proc` or
 * through `sh` and `ps`. With direct access to `/proc` it also watches for new processes.
 *
 * Source: proc_pid_stat(5), proc_pid_environ(5), ps(1).
 */
import { isDeadState, procStatFields } from "../../../base/procStat.ts"
import type { Host } from "../../../host/Host.ts"

/** A living process. `started` distinguishes it from a later one with the same id. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly started: string
}

/** Text in the environment of the wanted processes: one, or several, any of which is enough. */
export type Marker = string | ReadonlyArray<string>

const markersOf = (marker: Marker): ReadonlyArray<string> => typeof marker === "string" ? [marker] : marker

/** Reads processes for the termination of a tree. */
export interface ProcessTable {
  /** All living processes; zombies count as dead. */
  readonly living: () => Promise<ReadonlyMap<number, ProcessEntry>>
  /**
   * The processes with the marker in their environment and none of the others. Both are checked in one read: an environment
   * is empty for a moment during execve(2), and permanently when the process dies.
   */
  readonly marked: (
    pids: ReadonlyArray<number>,
    marker: Marker,
    others: ReadonlyArray<string>,
  ) => Promise<ReadonlyArray<number>>
  /** Synchronous reads of single processes, for pursuing processes that fork quickly. */
  readonly sync?: SyncProcessTable | undefined
}

/** Synchronous reads of processes. */
export interface SyncProcessTable {
  readonly living: () => ReadonlyMap<number, ProcessEntry>
  /** A process or thread by id, if it is alive. */
  readonly entry: (pid: number) => ProcessEntry | undefined
  /** Whether an id belongs to a process rather than to one of its further threads. */
  readonly isProcess: (pid: number) => boolean
  /** As {@link ProcessTable.marked}; `undefined` during execve(2), while there is no environment. */
  readonly isMarked: (pid: number, marker: Marker, others: ReadonlyArray<string>) => boolean | undefined
  /**
   * Starts to watch. Each call of the returned function returns the ids that were assigned to processes and threads
   * since the previous call, in order; the first call also returns the last few ids before the watch began.
   */
  readonly watch: () => () => ReadonlyArray<number>
}

/** Whether an environment has the marker, and none of the others. */
const hasMarker = (environment: string | undefined, marker: Marker, others: ReadonlyArray<string>): boolean =>
  environment !== undefined && markersOf(marker).some((each) => environment.includes(each)) &&
  !others.some((other) => environment.includes(other))

/** `pid (name) state ppid pgrp … starttime`: fields 1, 3, 4, 5 and 22. */
const parseStat = (text: string): ProcessEntry | undefined => {
  const fields = procStatFields(text)
  const [state, parent, group] = fields
  const started = fields[19]
  if (state === undefined || isDeadState(state) || started === undefined) return undefined
  return { pid: Number(text.slice(0, text.indexOf("("))), parent: Number(parent), group: Number(group), started }
}

/** PF_EXITING and PF_KTHREAD of the kernel's `sched.h`. */
const exitingOrKernelThread = 0x0020_0004

/**
 * Whether a process without an environment is in execve(2), which removes the old one before it writes the new one; meanwhile
 * the end of the environment is 0 (field 51). A process with an empty environment has another end; a dying process and a
 * kernel thread have none.
 */
const isStartingProgram = (stat: string): boolean => {
  const fields = procStatFields(stat)
  const [state, flags, environmentEnd] = [fields[0], fields[6], fields[48]]
  return state !== undefined && !isDeadState(state) && environmentEnd === "0" &&
    (Number(flags) & exitingOrKernelThread) === 0
}

/** Ids before the first watched one that are checked too: a process becomes visible a little later than its id. */
const recentIds = 32

/** Maximum number of new ids that are checked one by one. */
const maxNewIds = 2_048

const tableOf = (entries: Iterable<ProcessEntry | undefined>): ReadonlyMap<number, ProcessEntry> => {
  const table = new Map<number, ProcessEntry>()
  for (const entry of entries) if (entry !== undefined) table.set(entry.pid, entry)
  return table
}

/** Makes a table that reads `/proc`: about 20 µs for each process of the machine. */
export const procTable = (
  host: Pick<Host, "readNames" | "readText">,
): ProcessTable & { readonly sync: SyncProcessTable } => {
  const ids = (): ReadonlyArray<number> => host.readNames("/proc").filter((name) => /^\d+$/.test(name)).map(Number)
  const stat = (pid: number): string => host.readText(`/proc/${pid}/stat`) ?? ""
  const entry = (pid: number): ProcessEntry | undefined => parseStat(stat(pid))
  const isMarked: SyncProcessTable["isMarked"] = (pid, marker, others) => {
    const environment = host.readText(`/proc/${pid}/environ`)
    return environment === "" && isStartingProgram(stat(pid)) ? undefined : hasMarker(environment, marker, others)
  }
  const numberIn = (path: string): number | undefined => {
    const text = host.readText(path)
    return text === undefined || !/^\d+\s*$/.test(text) ? undefined : Number(text)
  }
  // The last assigned id in this pid namespace (kernel documentation, "sysctl/kernel").
  const lastId = (): number | undefined => numberIn("/proc/sys/kernel/ns_last_pid")
  const between = (after: number, last: number): ReadonlyArray<number> => {
    const wrapsAt = last >= after ? 0 : numberIn("/proc/sys/kernel/pid_max") ?? after
    const length = last - after + wrapsAt
    // Too many new ids: check all processes.
    if (length > maxNewIds) return ids()
    return Array.from({ length }, (_, index) => after + 1 + index - (after + 1 + index > wrapsAt ? wrapsAt : 0))
  }
  const watch: SyncProcessTable["watch"] = () => {
    let at = lastId()
    if (at === undefined) {
      const seen = new Set(ids())
      return () => {
        const fresh = ids().filter((pid) => !seen.has(pid))
        for (const pid of fresh) seen.add(pid)
        return fresh
      }
    }
    at = Math.max(0, at - recentIds)
    return () => {
      const last = lastId() ?? at ?? 0
      const fresh = between(at ?? last, last)
      at = last
      return fresh
    }
  }
  const living = (): ReadonlyMap<number, ProcessEntry> => tableOf(ids().map(entry))
  const isProcess = (pid: number): boolean =>
    Number(/^Tgid:\s*(\d+)/m.exec(host.readText(`/proc/${pid}/status`) ?? "")?.[1]) === pid
  return {
    living: () => Promise.resolve(living()),
    marked: (pids, marker, others) => Promise.resolve(pids.filter((pid) => isMarked(pid, marker, others) === true)),
    sync: { living, entry, isProcess, isMarked, watch },
  }
}

/** Makes a table that reads `/proc` through `sh`, where this process may not (Deno without all permissions). */
export const shellTable = (
  run: (file: string, args: ReadonlyArray<string>) => Promise<string>,
  shell: string,
): ProcessTable => ({
  living: async () => {
    const text = await run(shell, ["-c", "cat /proc/[0-9]*/stat 2>/dev/null"])
    return tableOf(text.split("\n").map(parseStat))
  },
  marked: async (pids, marker, others) => {
    const find = async (texts: Marker): Promise<ReadonlySet<number>> => {
      const text = markersOf(texts).join("\n")
      const files = await run(shell, ["-c", 'grep -lsF -e "$1" /proc/[0-9]*/environ', "sh", text])
      return new Set(Array.from(files.matchAll(/\/proc\/(\d+)\//g), (match) => Number(match[1])))
    }
    let found = pids
    // `grep` cannot check both in one read, so it checks before and after: a process that ended in between does not count.
    for (const other of others) {
      const [ours, theirs] = [await find(marker), await find(other)]
      found = found.filter((pid) => ours.has(pid) && !theirs.has(pid))
    }
    const ours = await find(marker)
    return found.filter((pid) => ours.has(pid))
  },
})

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s?(.*)$/

/** Makes a table that runs `ps`, where there is no `/proc` (macOS, BSD). `-E` shows the environment of own processes. */
export const psTable = (run: (file: string, args: ReadonlyArray<string>) => Promise<string>): ProcessTable => {
  let environments = new Map<number, string>()
  return {
    living: async () => {
      const text = await run("/bin/ps", ["-A", "-E", "-ww", "-o", "pid=,ppid=,pgid=,state=,lstart=,command="])
      environments = new Map()
      return tableOf(
        text.split("\n").map((line) => {
          const [, pid, parent, group, state, started, command] = psLine.exec(line) ?? []
          if (pid === undefined || state?.startsWith("Z") !== false || started === undefined) return undefined
          environments.set(Number(pid), command ?? "")
          return { pid: Number(pid), parent: Number(parent), group: Number(group), started }
        }),
      )
    },
    marked: (pids, marker, others) =>
      Promise.resolve(pids.filter((pid) => hasMarker(environments.get(pid), marker, others))),
  }
}
