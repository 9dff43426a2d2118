/** Splits, joins, resolves and relativizes paths of the kernel's file system. */
import { Errno } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import type { System } from "../../System.ts"
import { stripEnd } from "./strip.ts"

export const joinPath = (directory: string, name: string): string =>
  directory.endsWith("/") ? directory + name : `${directory}/${name}`

export const baseName = (path: string): string =>
  stripEnd(path, "/").replace(/^.*\//s, "") || (path[0] === "/" ? "/" : path)

/** A path without its last component. */
export const dirName = (path: string): string => {
  const bare = stripEnd(path, "/")
  if (bare === "") return path[0] === "/" ? "/" : "."
  const slash = bare.lastIndexOf("/")
  return slash < 0 ? "." : stripEnd(bare.slice(0, slash), "/") || "/"
}

const splitPath = (path: string): Array<string> => path.split("/").filter((name) => name !== "")

export type AllowMissing = "none" | "last" | "all"

/** Resolves links, `.` and `..` to an absolute path; returns an errno on failure. Source: realpath(1). */
export const resolvePath = (system: System, path: string, missing: AllowMissing): string | number => {
  let done = ""
  const left = splitPath(path[0] === "/" ? path : `${system.cwd}/${path}`).reverse()
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
      left.push(...splitPath(target).reverse())
      if (target[0] === "/") done = ""
    } else {
      if (stat.type !== FileType.directory && left.length > 0 && missing !== "all") return -Errno.ENOTDIR
      done = next
    }
  }
  return done || "/"
}

export const relativePath = (system: System, directory: string, path: string): string => {
  const parts = (each: string): ReadonlyArray<string> => {
    const real = resolvePath(system, each, "all")
    return typeof real === "string" ? splitPath(real) : []
  }
  const [from, to] = [parts(directory), parts(path)]
  let same = 0
  while (same < from.length && same < to.length && from[same] === to[same]) same++
  return [...from.slice(same).map(() => ".."), ...to.slice(same)].join("/") || "."
}
