/**
 * Who is alive, who is whose child, and who carries a run's marker: read from `/proc`, or asked of `sh` and `ps`.
 *
 * Source: proc_pid_stat(5), proc_pid_environ(5), ps(1).
 *
 * @module
 */
import type { Host } from "./Host.ts"

/** One living process. `started` tells it from a later one with the same id. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  /** Its process group. */
  readonly group: number
  readonly started: string
}

/** What the termination of a tree needs to know of the machine's processes. */
export interface ProcessTable {
  /** Every process that lives; zombies are dead, they only wait for a parent. */
  readonly living: () => Promise<ReadonlyMap<number, ProcessEntry>>
  /**
   * Which of the processes carry the marker in their environment, and none of the others. It is one look for both: an
   * environment is empty for a moment while its process starts a program, and for good when it dies.
   */
  readonly marked: (
    pids: ReadonlyArray<number>,
    marker: string,
    others: ReadonlyArray<string>,
  ) => Promise<ReadonlyArray<number>>
  /** Looks at single processes, where that takes no time: for running after those who fork away. */
  readonly quick?: QuickLook | undefined
}

/** Single processes, without waiting. */
export interface QuickLook {
  /** The ids there are, the newest last while they do not wrap. */
  readonly ids: () => ReadonlyArray<number>
  /** One of them, if it lives. */
  readonly entry: (pid: number) => ProcessEntry | undefined
  readonly isMarked: (pid: number, marker: string, others: ReadonlyArray<string>) => boolean
}

/** Whether an environment has the marker, and none of the others. */
const carries = (environment: string | undefined, marker: string, others: ReadonlyArray<string>): boolean =>
  environment?.includes(marker) === true && !others.some((other) => environment.includes(other))

/** `pid (name, which may hold anything) state ppid pgrp … starttime`: fields 1, 3, 4, 5 and 22. */
const parseStat = (text: string): ProcessEntry | undefined => {
  const open = text.indexOf("(")
  const close = text.lastIndexOf(")")
  if (open < 0 || close < 0) return undefined
  const fields = text.slice(close + 2).split(" ")
  const [state, parent, group] = fields
  const started = fields[19]
  if (state === undefined || state === "Z" || state === "X" || started === undefined) return undefined
  return { pid: Number(text.slice(0, open)), parent: Number(parent), group: Number(group), started }
}

const tableOf = (entries: Iterable<ProcessEntry | undefined>): ReadonlyMap<number, ProcessEntry> => {
  const table = new Map<number, ProcessEntry>()
  for (const entry of entries) if (entry !== undefined) table.set(entry.pid, entry)
  return table
}

/** Reads `/proc` itself: about 20 µs for each process on the machine. */
export const procTable = (host: Pick<Host, "readNames" | "readText">): ProcessTable => {
  const ids = (): ReadonlyArray<number> => host.readNames("/proc").filter((name) => /^\d+$/.test(name)).map(Number)
  const entry = (pid: number): ProcessEntry | undefined => parseStat(host.readText(`/proc/${pid}/stat`) ?? "")
  const isMarked = (pid: number, marker: string, others: ReadonlyArray<string>): boolean =>
    carries(host.readText(`/proc/${pid}/environ`), marker, others)
  return {
    living: () => Promise.resolve(tableOf(ids().map(entry))),
    marked: (pids, marker, others) => Promise.resolve(pids.filter((pid) => isMarked(pid, marker, others))),
    quick: { ids, entry, isMarked },
  }
}

/** Asks `sh` to read `/proc` where this process may not (Deno without all permissions). */
export const shellTable = (
  run: (file: string, args: ReadonlyArray<string>) => Promise<string>,
  shell: string,
): ProcessTable => ({
  living: async () => {
    const text = await run(shell, ["-c", "cat /proc/[0-9]*/stat 2>/dev/null"])
    return tableOf(text.split("\n").map(parseStat))
  },
  marked: async (pids, marker, others) => {
    const find = async (text: string): Promise<ReadonlySet<number>> => {
      const files = await run(shell, ["-c", 'grep -lsF -e "$1" /proc/[0-9]*/environ', "sh", text])
      return new Set(Array.from(files.matchAll(/\/proc\/(\d+)\//g), (match) => Number(match[1])))
    }
    let found = pids
    // `grep` cannot ask for both in one look, so it looks before and after: who was gone in between is not meant.
    for (const other of others) {
      const [ours, theirs] = [await find(marker), await find(other)]
      found = found.filter((pid) => ours.has(pid) && !theirs.has(pid))
    }
    const ours = await find(marker)
    return found.filter((pid) => ours.has(pid))
  },
})

const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s?(.*)$/

/** Asks `ps`, where there is no `/proc` (macOS, BSD). `-E` shows the environment of one's own processes. */
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
      Promise.resolve(pids.filter((pid) => carries(environments.get(pid), marker, others))),
  }
}
