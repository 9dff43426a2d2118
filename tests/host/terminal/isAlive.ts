import { readFileSync } from "node:fs"

/** Whether a process runs; a zombie does not. */
export const isAlive = (pid: number | undefined): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
