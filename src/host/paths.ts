/** Recognizes, resolves and splits paths by the rules of POSIX or of Windows, on either platform. */
import { resolveDots } from "../base/absolutePath.ts"

/** The rules for paths, names and command lines. */
export type Platform = "posix" | "windows"

/** Whether a program name is a path (`./x`, `/bin/x`, `C:x`), which is not searched in PATH. */
export const isPath = (platform: Platform, name: string): boolean =>
  platform === "posix" ? name.includes("/") : /[\\/]/.test(name) || /^[A-Za-z]:/.test(name)

export const baseName = (platform: Platform, path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), platform === "windows" ? path.lastIndexOf("\\") : -1) + 1)

/** Whether an absolute POSIX path is `folder`, or below it. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || folder === "/" || path.startsWith(`${folder}/`)

/** Resolves `path` against the absolute `directory`. An absolute path is returned unchanged. */
export const toAbsolute = (platform: Platform, directory: string, path: string): string =>
  platform === "posix" ? absolutePosix(directory, path) : absoluteWindows(directory, path)

// `..` is kept: `link/../x` is not `x` if `link` is a symbolic link.
const absolutePosix = (directory: string, path: string): string => {
  if (path.startsWith("/")) return path
  const rest = path.replace(/^(?:\.(?:\/+|$))+/, "")
  if (rest === "") return directory
  return directory.endsWith("/") ? directory + rest : `${directory}/${rest}`
}

/** The root of a Windows path (`C:\`, `\\server\share\`), or `undefined` where it has none. */
const windowsRoot = (path: string): string | undefined => {
  const drive = /^[A-Za-z]:(?=[\\/])/.exec(path)?.[0]
  if (drive !== undefined) return `${drive}\\`
  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)/.exec(path)
  return share === null ? undefined : `\\\\${share[1]}\\${share[2]}\\`
}

// Windows removes `..` before it reads the file system.
const normalizeWindows = (path: string): string => {
  // `\\?\` disables this.
  if (path.startsWith("\\\\?\\")) return path
  const root = windowsRoot(path) ?? ""
  return root + resolveDots(path.slice(root.length).split(/[\\/]+/)).join("\\")
}

const absoluteWindows = (directory: string, path: string): string => {
  if (windowsRoot(path) !== undefined) return normalizeWindows(path)
  const root = windowsRoot(directory) ?? ""
  if (/^[\\/]/.test(path)) return normalizeWindows(root + path)
  const drive = /^[A-Za-z]:/.exec(path)?.[0]
  if (drive === undefined) return normalizeWindows(`${directory}\\${path}`)
  // `D:x` refers to the current directory of drive D, which cannot be read: its root is the best approximation.
  const base = root.toLowerCase().startsWith(drive.toLowerCase()) ? directory : drive
  return normalizeWindows(`${base}\\${path.slice(2)}`)
}

/** A directory and its parents, the nearest first. */
export const selfAndParents = (platform: Platform, directory: string): Array<string> => {
  const [slash, root] = platform === "posix" ? ["/", "/"] : ["\\", windowsRoot(directory) ?? ""]
  const directories: Array<string> = []
  let at = platform === "posix" ? directory.replace(/(?!^)\/+$/, "") : normalizeWindows(directory)
  while (at.length > root.length) {
    directories.push(at)
    at = at.slice(0, Math.max(at.lastIndexOf(slash), 0))
  }
  directories.push(root)
  return directories
}
