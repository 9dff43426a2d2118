/**
 * Which file a program's name means, by the rules of either platform.
 *
 * @module
 */
import { defaultPath, pathDelimiter, type Variables } from "./environment.ts"
import { absolute, baseName, isPath, type Platform, selfAndParents } from "./resolve-paths.ts"

/**
 * What is at a path:
 *
 * - `"executable"`: a file that this process may execute (on Windows: any file).
 * - `"file"`, `"directory"`: what it may not, or what may not be looked at for want of rights (EACCES).
 * - `"special"`: a FIFO, a device or a socket: never to be executed, and not to be opened either.
 * - `"none"`: nothing (ENOENT, ENOTDIR).
 * - `"unknown"`: we could not look (Deno without `--allow-read`, ELOOP, a disk that fails).
 */
export type FileKind = "executable" | "file" | "directory" | "special" | "none" | "unknown"

/** Looks at the file system, for {@link resolveExecutable}. A leaf's `Host` is one. */
export interface FileProbe {
  /** What is at an absolute path. */
  readonly fileKind: (path: string) => FileKind
}

/**
 * How a file is started: `posix` by execve(2), `exe` by CreateProcess, `batch` by cmd.exe, `powershell` by
 * PowerShell.
 */
export type ExecutableKind = "posix" | "exe" | "batch" | "powershell"

/** What became of a program's name. */
export type Resolution =
  /** `path` is absolute. `verified` is false where nobody could look whether it is there. */
  | { readonly _tag: "Found"; readonly path: string; readonly kind: ExecutableKind; readonly verified: boolean }
  /** We may not look: hand the runtime the name itself, and it goes through the child's PATH. */
  | { readonly _tag: "Undecided"; readonly name: string }
  /**
   * Nowhere. `path`: the absolute path that is missing, or the name itself when it was looked for in PATH;
   * `searched`: the directories of PATH that were looked through, in order.
   */
  | { readonly _tag: "NotFound"; readonly path: string; readonly searched: ReadonlyArray<string> }
  /** There, but not to be executed (EACCES). */
  | { readonly _tag: "NotExecutable"; readonly path: string; readonly is: FileKind }

/** What {@link resolveExecutable} goes by. */
export interface Lookup {
  readonly platform: Platform
  /** The program as the command names it. */
  readonly name: string
  /** The *caller's* current directory, absolute, at the time of the call; not the command's working directory. */
  readonly directory: string
  /** The *child's* environment: PATH, and on Windows PATHEXT. */
  readonly environment: Variables
  readonly probe: FileProbe
}

const kinds: Readonly<Record<string, ExecutableKind>> = {
  ".com": "exe",
  ".exe": "exe",
  ".bat": "batch",
  ".cmd": "batch",
  ".ps1": "powershell",
}

const extension = (platform: Platform, path: string): string => {
  const name = baseName(platform, path)
  const dot = name.lastIndexOf(".")
  return dot < 0 ? "" : name.slice(dot).toLowerCase()
}

/** How the file at `path` is started, by the looks of its name. */
export const executableKind = (platform: Platform, path: string): ExecutableKind =>
  platform === "posix" ? "posix" : kinds[extension(platform, path)] ?? "exe"

const defaultExtensions = [".COM", ".EXE", ".BAT", ".CMD"]

/** PATHEXT, without what only the Explorer knows how to open (`.JS`, `.MSC`): CreateProcess does not start those. */
const extensions = (environment: Variables): ReadonlyArray<string> => {
  const listed = environment("PATHEXT")?.split(";").map((e) => e.trim()).filter((e) =>
    Object.hasOwn(kinds, e.toLowerCase())
  )
  return listed === undefined || listed.length === 0 ? defaultExtensions : listed
}

/** The files that `path` may mean, in the order in which they are tried. */
const candidates = (lookup: Lookup): (path: string) => ReadonlyArray<string> => {
  if (lookup.platform === "posix") return (path) => [path]
  const endings = extensions(lookup.environment)
  // npm puts `tool` for sh beside `tool.cmd`: a name that does not end as programs do is meant literally last, and
  // without any ending only where it is a path.
  const ending = extension("windows", lookup.name)
  const own = Object.hasOwn(kinds, ending)
  const literal = own || ending !== "" || isPath("windows", lookup.name)
  return (path) => {
    const more = endings.map((e) => path + e.toLowerCase())
    return own ? [path, ...more] : literal ? [...more, path] : more
  }
}

/** The directories of PATH in the child's environment, absolute; {@link defaultPath} where it is not set. */
const searchPath = ({ directory, environment, platform }: Lookup): Array<string> => {
  const entries = (environment("PATH") ?? defaultPath[platform]).split(pathDelimiter[platform])
  if (platform === "posix") return entries.map((entry) => absolute(platform, directory, entry))
  // An entry may be quoted; an empty one is no directory at all.
  return entries.map((e) => e.replaceAll('"', "").trim()).filter((e) => e !== "")
    .map((entry) => absolute(platform, directory, entry))
}

/**
 * Finds the file that a program's name means.
 *
 * A name with a slash (Windows: a backslash or a drive too) is a path, made absolute against the caller's current
 * directory: another working directory for the child does not change which program is meant. Any other name is
 * looked for in the PATH of the *child's* environment as execvp(3) does: the first that may be executed; if there
 * is none, the first that is there but may not be. On POSIX an empty entry of PATH is the current directory. A
 * relative entry too is meant from where the caller stands.
 *
 * Windows: names of variables and files are compared without case, each directory is tried with each ending of
 * PATHEXT in its order, quotes around an entry of PATH are taken off. The current directory is *not* searched
 * before PATH (as with `NoDefaultCurrentDirectoryInExePath`): a program that lies about in a working directory must
 * not stand in for a program of the system. Endings that CreateProcess cannot start are passed over.
 *
 * Sources: execvp(3); Microsoft, "NeedCurrentDirectoryForExePathW", "path", "start".
 */
export const resolveExecutable = (lookup: Lookup): Resolution => {
  const { name, platform, probe } = lookup
  const filesOf = candidates(lookup)
  const found = (path: string, verified: boolean): Resolution => ({
    _tag: "Found",
    path,
    kind: executableKind(platform, path),
    verified,
  })
  // A NUL would end the name early for some who look; nothing has such a name.
  if (name === "" || name.includes("\0")) return { _tag: "NotFound", path: name, searched: [] }
  let denied: Extract<Resolution, { readonly _tag: "NotExecutable" }> | undefined
  const deny = (path: string, is: FileKind): void => void (denied ??= { _tag: "NotExecutable", path, is })
  if (isPath(platform, name)) {
    // To ask for the current directory is a call of the system: not for what does not depend on it.
    const path = platform === "posix" && name.startsWith("/") ? name : absolute(platform, lookup.directory, name)
    for (const file of filesOf(path)) {
      const is = probe.fileKind(file)
      if (is === "executable") return found(file, true)
      if (is === "unknown") return found(path, false)
      if (is !== "none") deny(file, is)
    }
    return denied ?? { _tag: "NotFound", path, searched: [] }
  }
  const searched = searchPath(lookup)
  for (const place of searched) {
    for (const file of filesOf(absolute(platform, place, name))) {
      const is = probe.fileKind(file)
      if (is === "executable") return found(file, true)
      // Whether this one is the one cannot be known, so neither can whether a later one is.
      if (is === "unknown") return { _tag: "Undecided", name }
      if (is !== "none") deny(file, is)
    }
  }
  return denied ?? { _tag: "NotFound", path: name, searched }
}

/**
 * The `node_modules/.bin` of a working directory and of all its parents, the nearest first: what `localBin` puts
 * before PATH.
 */
export const localBinDirectories = (platform: Platform, workingDirectory: string): ReadonlyArray<string> => {
  const bin = platform === "posix" ? "node_modules/.bin" : "node_modules\\.bin"
  return selfAndParents(platform, workingDirectory).map((directory) => absolute(platform, directory, bin))
}
