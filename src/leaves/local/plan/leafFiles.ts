/** Looks up programs, directories and variables of this machine for an access policy. */
import type { FileLookup, LeafFiles } from "../../../shell/LeafFiles.ts"
import { isAbsolutePath } from "../../../base/isAbsolutePath.ts"
import { joinSearchPath, splitSearchPath } from "../../../base/searchPath.ts"
import { lookupIn } from "../../../host/environment.ts"
import type { Host } from "../../../host/Host.ts"
import type { LocalShellSettings } from "../LocalShellOptions.ts"
import { resolveExecutable } from "../../../host/resolveExecutable.ts"
import { baseName, type Platform, toAbsolute } from "../../../host/paths.ts"

/** Makes the lookups over a host, without a cache: a policy must check the current files. */
export const leafFiles = (host: Host, settings: LocalShellSettings, platform: Platform): LeafFiles => {
  const slash = platform === "posix" ? "/" : "\\"
  const lookup = (path: string): FileLookup => {
    const name = baseName(platform, path)
    const file = host.realPath(path)
    const directory = host.realPath(path.slice(0, path.length - name.length) || slash)
    const identity = file === undefined ? undefined : host.identity(file)
    if (file === undefined || directory === undefined || identity === undefined) return { _tag: "Unseen", path }
    const entry = directory.endsWith(slash) ? directory + name : directory + slash + name
    // Windows opens the same file by its name in any case.
    return { _tag: "Seen", seen: { path, file, entry: platform === "windows" ? entry.toLowerCase() : entry, identity } }
  }
  return {
    program: (name, searchPath) => {
      // A relative directory of PATH would let the working directory choose the program.
      const places = splitSearchPath(platform, searchPath).filter((place) => isAbsolutePath(place, platform))
      const variables = { PATH: joinSearchPath(platform, places), PATHEXT: host.variable("PATHEXT") ?? "" }
      const found = resolveExecutable({
        platform,
        name,
        directory: host.cwd() ?? slash,
        environment: lookupIn(platform, variables),
        probe: host,
      })
      switch (found._tag) {
        case "Found":
          return found.verified ? lookup(found.path) : { _tag: "Unseen", path: found.path }
        case "Undecided":
          return { _tag: "Unseen", path: name }
        case "NotExecutable":
          return { _tag: "Denied", path: found.path }
        case "NotFound":
          return { _tag: "Missing", path: found.path, code: "ENOENT" }
      }
    },
    directory: (path) => {
      const base = toAbsolute(platform, host.cwd() ?? slash, settings.cwd ?? ".")
      const full = toAbsolute(platform, base, path)
      const held = host.hold?.(full)
      if (held !== undefined) {
        held.release()
        const { file, identity } = held
        return { _tag: "Seen", seen: { path: full, file, entry: file, identity } }
      }
      const kind = host.fileKind(full)
      if (kind === "none") return { _tag: "Missing", path, code: "ENOENT" }
      if (kind === "unknown") return { _tag: "Unseen", path }
      if (kind !== "directory") return { _tag: "Missing", path, code: "ENOTDIR" }
      // A second lookup may find another directory: where directories can be held open, only the held one is trusted.
      const file = host.hold === undefined ? host.realPath(full) : undefined
      const identity = file === undefined ? undefined : host.identity(file)
      if (file === undefined || identity === undefined) return { _tag: "Unseen", path }
      return { _tag: "Seen", seen: { path: full, file, entry: file, identity } }
    },
    realPath: (path) => isAbsolutePath(path, platform) ? host.realPath(path) : undefined,
    isLink: (path) => isAbsolutePath(path, platform) && host.isLink(path),
    variable: host.variable,
    environment: host.environment,
  }
}
