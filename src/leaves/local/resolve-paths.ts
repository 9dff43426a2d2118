/**
 * The few path operations that resolving a program needs, for both platforms on either.
 *
 * @module
 */

/** Whose rules paths, names and command lines follow. */
export type Platform = "posix" | "windows"

/** Whether a program name is a path (`./x`, `/bin/x`, `C:x`), which PATH has no say in. */
export const isPath = (platform: Platform, name: string): boolean =>
  platform === "posix" ? name.includes("/") : /[\\/]/.test(name) || /^[A-Za-z]:/.test(name)

/** The last part of a path. */
export const baseName = (platform: Platform, path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), platform === "windows" ? path.lastIndexOf("\\") : -1) + 1)

/** Makes `path` absolute against `directory`, which is absolute. An absolute path stays what it is. */
export const absolute = (platform: Platform, directory: string, path: string): string =>
  platform === "posix" ? absolutePosix(directory, path) : absoluteWindows(directory, path)

// `..` stays: `link/../x` is not `x` where `link` is a symbolic link, and the kernel knows which it is.
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

// Windows itself takes `..` away before it looks at the disk.
const normaliseWindows = (path: string): string => {
  // `\\?\` turns all of this off.
  if (path.startsWith("\\\\?\\")) return path
  const root = windowsRoot(path) ?? ""
  const parts: Array<string> = []
  for (const part of path.slice(root.length).split(/[\\/]+/)) {
    if (part === "..") parts.pop()
    else if (part !== "" && part !== ".") parts.push(part)
  }
  return root + parts.join("\\")
}

const absoluteWindows = (directory: string, path: string): string => {
  if (windowsRoot(path) !== undefined) return normaliseWindows(path)
  const root = windowsRoot(directory) ?? ""
  if (/^[\\/]/.test(path)) return normaliseWindows(root + path)
  const drive = /^[A-Za-z]:/.exec(path)?.[0]
  if (drive === undefined) return normaliseWindows(`${directory}\\${path}`)
  // `D:x` means D's own current directory, which a process keeps to itself: its root is the best there is.
  const base = root.toLowerCase().startsWith(drive.toLowerCase()) ? directory : drive
  return normaliseWindows(`${base}\\${path.slice(2)}`)
}

/** `directory` and all that it is in, the nearest first. */
export const selfAndParents = (platform: Platform, directory: string): Array<string> => {
  const [slash, root] = platform === "posix" ? ["/", "/"] : ["\\", windowsRoot(directory) ?? ""]
  const directories: Array<string> = []
  let at = platform === "posix" ? directory.replace(/(?!^)\/+$/, "") : normaliseWindows(directory)
  while (at.length > root.length) {
    directories.push(at)
    at = at.slice(0, Math.max(at.lastIndexOf(slash), 0))
  }
  directories.push(root)
  return directories
}
