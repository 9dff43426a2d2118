/** Joins paths by their text alone: links are not followed. */
import { resolveDots } from "../base/absolutePath.ts"
import { isAbsolutePath } from "../base/isAbsolutePath.ts"

export const joined = (directory: string, path: string): string => isAbsolutePath(path) ? path : `${directory}/${path}`

/** The path below an absolute directory by its text alone: `..` and `.` are resolved, links are not followed. */
export const below = (directory: string, path: string): string => {
  const isWindows = directory.includes("\\")
  const slash = isWindows ? "\\" : "/"
  const [, root = "", start = ""] = /^([A-Za-z]:\\|\\\\|\/)?(.*)$/s.exec(directory) ?? []
  const names = start.split(slash).filter((name) => name !== "")
  return root + resolveDots(path.split(isWindows ? /[/\\]/ : slash), names).join(slash)
}
