/** Describes how a system writes and compares paths, as pure functions. */
import { checkWindowsName, windowsPath } from "./windowsName.ts"

/** How a system writes and compares paths. */
export interface PathRules {
  /** The path of names below a folder. */
  readonly join: (folder: string, names: ReadonlyArray<string>) => string
  /** The folder and the last name of an absolute path. */
  readonly split: (path: string) => readonly [folder: string, name: string]
  /** Whether two canonical paths are the same. */
  readonly isSame: (a: string, b: string) => boolean
  /** Says what is wrong with a name that the system does not accept as it stands. */
  readonly checkName: (name: string) => string | undefined
  readonly caseSensitive: boolean
  /** Whether a file that is open cannot be replaced or removed. */
  readonly locksOpenFiles: boolean
  readonly separator: "/" | "\\"
}

/** The rules of Linux and macOS. macOS' file system usually ignores case. */
export const posixRules = (caseSensitive: boolean): PathRules => ({
  join: (folder, names) => names.length === 0 ? folder : `${folder === "/" ? "" : folder}/${names.join("/")}`,
  split: (path) => [path.slice(0, path.lastIndexOf("/")) || "/", path.slice(path.lastIndexOf("/") + 1)],
  isSame: (a, b) => a === b || (!caseSensitive && fold(a) === fold(b)),
  checkName: () => undefined,
  caseSensitive,
  locksOpenFiles: false,
  separator: "/",
})

/** The rules of Windows. */
export const windowsRules = (useLongPaths: boolean): PathRules => ({
  join: (folder, names) => windowsPath(folder, names, useLongPaths),
  split: (path) => [path.slice(0, path.lastIndexOf("\\")), path.slice(path.lastIndexOf("\\") + 1)],
  isSame: (a, b) => fold(plain(a)) === fold(plain(b)),
  checkName: checkWindowsName,
  caseSensitive: false,
  locksOpenFiles: true,
  separator: "\\",
})

/** Whether a canonical path is the root, or below it. */
export const isInside = (rules: PathRules, root: string, path: string): boolean => {
  if (rules.isSame(root, path)) return true
  const folder = root.endsWith(rules.separator) ? root : root + rules.separator
  const [shorter, longer] = [plain(folder), plain(path)]
  return rules.isSame(shorter, longer.slice(0, shorter.length))
}

/** A path of Windows without the prefix of long paths. */
const plain = (path: string): string => path.replace(/^\\\\\?\\(?:UNC\\)?/, (prefix) => prefix.length > 4 ? "\\\\" : "")

const fold = (path: string): string => path.normalize("NFC").toLowerCase()
