import { readdirSync, readFileSync } from "node:fs"

/** The terminals whose masters this process has open. */
export const openMasters = (): ReadonlyArray<number> =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const [, index] = /^tty-index:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8")) ?? []
      return index === undefined ? [] : [Number(index)]
    } catch {
      return []
    }
  })
