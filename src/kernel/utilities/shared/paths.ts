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

/** Whether the text after a component requires that it is a directory: a final slash, a final `/.`, or `/..`. */
const needsDirectory = (rest: string): boolean => /^(?:\/+\.)*\/+$|^(?:\/+\.)+$|^(?:\/+\.)*\/+\.\.(?:\/|$)/.test(rest)

/** The errno of a component that cannot exist; 0 if it can. */
const checkComponent = (system: System, path: string, rest: string, follow: boolean): number => {
  if (!needsDirectory(rest) && !follow && rest !== "") return 0
  const stat = system.stat(path, { follow: needsDirectory(rest) || !follow })
  if (typeof stat === "number") return stat
  return needsDirectory(rest) && stat.type !== FileType.directory ? -Errno.ENOTDIR : 0
}

/**
 * Resolves `.`, `..` and, unless `follow` is false, links to an absolute path; returns an errno on failure. Source:
 * realpath(1).
 */
export const resolvePath = (
  system: System,
  path: string,
  missing: AllowMissing,
  follow = true,
): string | number => {
  let done = ""
  let rest = path[0] === "/" ? path : `${system.cwd}/${path}`
  let links = 0
  for (;;) {
    rest = rest.replace(/^\/+/, "")
    if (rest === "") return done || "/"
    const slash = rest.indexOf("/")
    const name = slash < 0 ? rest : rest.slice(0, slash)
    rest = slash < 0 ? "" : rest.slice(slash)
    if (name === ".") continue
    if (name === "..") {
      done = done.slice(0, Math.max(0, done.lastIndexOf("/")))
      continue
    }
    const next = `${done}/${name}`
    const target = follow ? system.readlink(next) : -Errno.EINVAL
    if (typeof target === "string") {
      if (++links > 40) return -Errno.ELOOP
      rest = target + rest
      if (target[0] === "/") done = ""
      continue
    }
    const problem = missing === "all" ? 0 : checkComponent(system, next, rest, follow)
    const mayLack = missing === "last" && problem === -Errno.ENOENT && stripEnd(rest, "/") === ""
    if (problem !== 0 && !mayLack) return problem
    done = next
  }
}

/** The path from an absolute directory to an absolute path. */
export const pathFrom = (directory: string, path: string): string => {
  const [from, to] = [splitPath(directory), splitPath(path)]
  let same = 0
  while (same < from.length && same < to.length && from[same] === to[same]) same++
  return [...from.slice(same).map(() => ".."), ...to.slice(same)].join("/") || "."
}

export const relativePath = (system: System, directory: string, path: string): string => {
  const [from, to] = [directory, path].map((each) => resolvePath(system, each, "all"))
  return pathFrom(typeof from === "string" ? from : "/", typeof to === "string" ? to : "/")
}
