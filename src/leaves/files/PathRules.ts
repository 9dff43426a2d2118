/** Describes how a system writes and compares paths, as pure functions. */
import { checkWindowsName, windowsPath } from "./windowsName.ts"

export interface PathRules {
  readonly join: (folder: string, names: ReadonlyArray<string>) => string
  readonly split: (path: string) => readonly [folder: string, name: string]
  /** Whether two canonical paths are the same. */
  readonly isSame: (a: string, b: string) => boolean
  /** Explains why the system does not accept a name unchanged. */
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

export const windowsRules = (useLongPaths: boolean): PathRules => ({
  join: (folder, names) => windowsPath(folder, names, useLongPaths),
  split: (path) => [path.slice(0, path.lastIndexOf("\\")), path.slice(path.lastIndexOf("\\") + 1)],
  isSame: (a, b) => fold(plain(a)) === fold(plain(b)),
  checkName: checkWindowsName,
  caseSensitive: false,
  locksOpenFiles: true,
  separator: "\\",
})

export const isInside = (rules: PathRules, root: string, path: string): boolean => {
  if (rules.isSame(root, path)) return true
  const folder = root.endsWith(rules.separator) ? root : root + rules.separator
  const [shorter, longer] = [plain(folder), plain(path)]
  return rules.isSame(shorter, longer.slice(0, shorter.length))
}

const plain = (path: string): string => path.replace(/^\\\\\?\\(?:UNC\\)?/, (prefix) => prefix.length > 4 ? "\\\\" : "")

const fold = (path: string): string => path.normalize("NFC").toLowerCase()
