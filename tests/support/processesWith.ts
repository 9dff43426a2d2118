import { readdirSync, readFileSync } from "node:fs"
import process from "node:process"

/** Finds the processes of this machine whose arguments contain a text, such as the directory of a test. Linux only. */
export const processesWith = (text: string): ReadonlyArray<number> =>
  readdirSync("/proc").map(Number).filter((pid) => {
    try {
      return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
    } catch {
      return false
    }
  })

/** Kills these processes; some may have ended meanwhile. */
export const killProcessesWith = (text: string): void => {
  for (const pid of processesWith(text)) {
    try {
      process.kill(pid, "SIGKILL")
    } catch {
      // Gone.
    }
  }
}
