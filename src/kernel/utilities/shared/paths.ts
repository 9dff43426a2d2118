import { Errno } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { System } from "../../System.ts"

/** What of a path need not be there. */
export type Missing = "none" | "last" | "all"

/** The path without links, `.` and `..`, from the root; or an errno. */
export const resolvePath = (system: System, path: string, missing: Missing): string | number => {
  let done = ""
  const left = (path[0] === "/" ? path : `${system.cwd}/${path}`).split("/").filter((name) => name !== "").reverse()
  let links = 0
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === ".") continue
    if (name === "..") {
      done = done.slice(0, Math.max(0, done.lastIndexOf("/")))
      continue
    }
    const next = `${done}/${name}`
    const stat = system.stat(next, { follow: false })
    if (typeof stat === "number") {
      if (missing === "none" || (missing === "last" && left.some((rest) => rest !== "."))) return stat
      done = next
    } else if (stat.type === FileType.symbolicLink) {
      const target = system.readlink(next)
      if (typeof target === "number") return target
      if (++links > 40) return -Errno.ELOOP
      left.push(...target.split("/").filter((part) => part !== "").reverse())
      if (target[0] === "/") done = ""
    } else {
      if (stat.type !== FileType.directory && (left.length > 0) && missing !== "all") return -Errno.ENOTDIR
      done = next
    }
  }
  return done || "/"
}

/** The path of a file as seen from a folder. */
export const relativePath = (system: System, folder: string, path: string): string => {
  const [from, to] = [folder, path].map((each) => {
    const real = resolvePath(system, each, "all")
    return typeof real === "string" ? real.split("/").filter((name) => name !== "") : []
  })
  let same = 0
  while (same < (from?.length ?? 0) && same < (to?.length ?? 0) && from?.[same] === to?.[same]) same++
  const up = new Array<string>((from?.length ?? 0) - same).fill("..")
  return [...up, ...to?.slice(same) ?? []].join("/") || "."
}
