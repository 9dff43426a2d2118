import { readdirSync, readFileSync } from "node:fs"

/** Finds the processes of this machine whose arguments contain a text, such as the directory of a test. Linux only. */
export const processesWith = (text: string): ReadonlyArray<number> =>
  readdirSync("/proc").map(Number).filter((pid) => {
    try {
      return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
    } catch {
      return false
    }
  })
