/** Finding processes by an argument that only they have. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import process from "node:process"

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return "" // It ended while we looked.
  }
}

/** State letter of a process: what follows the last parenthesis, as the name may hold some. proc(5). */
const isZombie = (stat: string): boolean => /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")))

/** Pids of the living processes, this one excepted, whose command line has the argument. */
export const processesWith = (argument: string): ReadonlyArray<number> => {
  if (existsSync("/proc/self/stat")) {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter(
        (pid) =>
          pid !== process.pid &&
          read(`/proc/${pid}/cmdline`).includes(argument) &&
          !isZombie(read(`/proc/${pid}/stat`)),
      )
  }
  return execFileSync("ps", ["-Ao", "pid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, pid, state, args] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
      const living = pid !== undefined && state !== undefined &&
        !state.startsWith("Z") && Number(pid) !== process.pid
      return living && args?.includes(argument) ? [Number(pid)] : []
    })
}

/** Sends a signal to one process, which may have ended meanwhile. */
export const signal = (pid: number, name: "SIGKILL"): void => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}
