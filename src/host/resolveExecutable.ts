/** Resolves a program's name to an executable file by the rules of POSIX or Windows. */
import { splitSearchPath } from "../base/searchPath.ts"
import { defaultPath, type Variables } from "./environment.ts"
import { baseName, isPath, type Platform, selfAndParents, toAbsolute } from "./paths.ts"

/**
 * The kind of file at a path:
 *
 * - `"executable"`: a file that this process may execute (on Windows: any file).
 * - `"file"`, `"directory"`: not executable, or no permission to check (EACCES).
 * - `"special"`: a FIFO, a device or a socket: never to be executed, and not to be opened either.
 * - `"none"`: nothing (ENOENT, ENOTDIR).
 * - `"unknown"`: it cannot be checked (Deno without `--allow-read`, ELOOP, a failing disk).
 */
export type FileKind = "executable" | "file" | "directory" | "special" | "none" | "unknown"

/** Reads the file system for {@link resolveExecutable}. A leaf's `Host` implements it. */
export interface FileProbe {
  readonly fileKind: (path: string) => FileKind
}

/**
 * The way a file is started: `posix` by execve(2), `exe` by CreateProcess, `batch` by cmd.exe, `powershell` by
 * PowerShell.
 */
export type ExecutableKind = "posix" | "exe" | "batch" | "powershell"

/** The result of resolving a program's name. */
export type Resolution =
  /** `path` is absolute. `verified` is `false` if the file system could not be read. */
  | { readonly _tag: "Found"; readonly path: string; readonly kind: ExecutableKind; readonly verified: boolean }
  /** The file system may not be read: the runtime gets the name and searches the child's PATH. */
  | { readonly _tag: "Undecided"; readonly name: string }
  /**
   * Not found. `path`: the missing absolute path, or the name if it was searched in PATH; `searched`: the searched
   * directories of PATH, in order.
   */
  | { readonly _tag: "NotFound"; readonly path: string; readonly searched: ReadonlyArray<string> }
  /** Found, but not executable (EACCES). */
  | { readonly _tag: "NotExecutable"; readonly path: string; readonly is: FileKind }

export interface Lookup {
  readonly platform: Platform
  /** The program's name in the command. */
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

/** The kind of an executable, by its extension. */
export const executableKind = (platform: Platform, path: string): ExecutableKind =>
  platform === "posix" ? "posix" : kinds[extension(platform, path)] ?? "exe"

const defaultExtensions = [".COM", ".EXE", ".BAT", ".CMD"]

/**
 * PATHEXT without the extensions that a leaf does not start (`.JS`, `.MSC`), plus `.PS1`, which PATHEXT never lists
 * because cmd.exe starts no scripts of PowerShell. `.PS1` comes last, because npm puts `tool.ps1` next to `tool.cmd`.
 */
const extensions = (environment: Variables): ReadonlyArray<string> => {
  const listed = environment("PATHEXT")?.split(";").map((e) => e.trim()).filter((e) =>
    Object.hasOwn(kinds, e.toLowerCase())
  )
  return [...(listed === undefined || listed.length === 0 ? defaultExtensions : listed), ".PS1"]
}

/** The files to try for a path, in order. */
const candidates = (lookup: Lookup): (path: string) => ReadonlyArray<string> => {
  if (lookup.platform === "posix") return (path) => [path]
  const endings = extensions(lookup.environment)
  // npm installs `tool` for sh next to `tool.cmd`: a name without a program's extension is tried literally last, and one
  // without any extension only if it is a path.
  const ending = extension("windows", lookup.name)
  const own = Object.hasOwn(kinds, ending)
  const literal = own || ending !== "" || isPath("windows", lookup.name)
  return (path) => {
    const more = endings.map((e) => path + e.toLowerCase())
    return own ? [path, ...more] : literal ? [...more, path] : more
  }
}

/** The directories of PATH in the child's environment, absolute; {@link defaultPath} where it is not set. */
const searchPath = ({ directory, environment, platform }: Lookup): Array<string> =>
  splitSearchPath(platform, environment("PATH") ?? defaultPath[platform])
    .map((entry) => toAbsolute(platform, directory, entry))

/**
 * Resolves a program's name to a file.
 *
 * A name with a slash (Windows: a backslash or a drive too) is a path, made absolute against the caller's current
 * directory, so that the child's working directory does not change the program. Any other name is searched in
 * the PATH of the *child's* environment, as by execvp(3): the first executable file, or else the first file that is
 * not executable. On POSIX an empty entry of PATH is the current directory; a relative one is resolved against it.
 *
 * Windows: names of variables and files are case-insensitive, each directory is tried with each extension of PATHEXT in
 * order, and an entry of PATH may be quoted. The current directory is *not* searched
 * before PATH (as with `NoDefaultCurrentDirectoryInExePath`): a program in the working directory must not
 * replace a program of the system. Extensions that a leaf cannot start are skipped, and `.ps1` is tried last.
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
  // Some runtimes end the name at a NUL; no file has such a name.
  if (name === "" || name.includes("\0")) return { _tag: "NotFound", path: name, searched: [] }
  let denied: Extract<Resolution, { readonly _tag: "NotExecutable" }> | undefined
  const deny = (path: string, is: FileKind): void => void (denied ??= { _tag: "NotExecutable", path, is })
  if (isPath(platform, name)) {
    // Reading the current directory is a system call, so it is read only for paths that depend on it.
    const path = platform === "posix" && name.startsWith("/") ? name : toAbsolute(platform, lookup.directory, name)
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
    for (const file of filesOf(toAbsolute(platform, place, name))) {
      const is = probe.fileKind(file)
      if (is === "executable") return found(file, true)
      // If this file cannot be checked, a later one must not be chosen either.
      if (is === "unknown") return { _tag: "Undecided", name }
      if (is !== "none") deny(file, is)
    }
  }
  return denied ?? { _tag: "NotFound", path: name, searched }
}

/**
 * The `node_modules/.bin` directories of a working directory and its parents, the nearest first: `localBin` puts them before
 * PATH.
 */
export const localBinDirectories = (platform: Platform, workingDirectory: string): ReadonlyArray<string> => {
  const bin = platform === "posix" ? "node_modules/.bin" : "node_modules\\.bin"
  return selfAndParents(platform, workingDirectory).map((directory) => toAbsolute(platform, directory, bin))
}
