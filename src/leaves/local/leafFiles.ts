/**
 * The files of this machine, as an access policy looks at them.
 *
 * @module
 */
import type { FileLookup, LeafFiles } from "../../shell/LeafFiles.ts"
import { pathDelimiter, variablesOf } from "./environment.ts"
import type { Host } from "./Host.ts"
import type { LocalShellSettings } from "./LocalShellOptions.ts"
import { resolveExecutable } from "./resolve.ts"
import { absolute, baseName, type Platform } from "./resolve-paths.ts"

const isAbsolute = (platform: Platform, path: string): boolean =>
  platform === "posix" ? path.startsWith("/") : /^(?:[A-Za-z]:[\\/]|[\\/]{2})/.test(path)

/** Looks at the files of a host, without a memory: what was there a second ago is not what was checked. */
export const leafFiles = (host: Host, settings: LocalShellSettings, platform: Platform): LeafFiles => {
  const slash = platform === "posix" ? "/" : "\\"
  const see = (path: string): FileLookup => {
    const name = baseName(platform, path)
    const file = host.realPath(path)
    const directory = host.realPath(path.slice(0, path.length - name.length) || slash)
    const identity = file === undefined ? undefined : host.identity(file)
    if (file === undefined || directory === undefined || identity === undefined) return { _tag: "Unseen", path }
    const entry = directory.endsWith(slash) ? directory + name : directory + slash + name
    return { _tag: "Seen", seen: { path, file, entry, identity } }
  }
  return {
    program: (name, searchPath) => {
      // A directory that depends on where one stands would let a working directory choose the program.
      const places = searchPath.split(pathDelimiter[platform]).filter((place) => isAbsolute(platform, place))
      const variables = { PATH: places.join(pathDelimiter[platform]), PATHEXT: host.variable("PATHEXT") ?? "" }
      const found = resolveExecutable({
        platform,
        name,
        directory: host.cwd() ?? slash,
        environment: variablesOf(platform, variables),
        probe: host,
      })
      switch (found._tag) {
        case "Found":
          return found.verified ? see(found.path) : { _tag: "Unseen", path: found.path }
        case "Undecided":
          return { _tag: "Unseen", path: name }
        case "NotExecutable":
          return { _tag: "Denied", path: found.path }
        case "NotFound":
          return { _tag: "Missing", path: found.path, code: "ENOENT" }
      }
    },
    directory: (path) => {
      const base = absolute(platform, host.cwd() ?? slash, settings.workingDirectory ?? ".")
      const full = absolute(platform, base, path)
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
      // A second lookup may be of another one: where directories can be held, nothing else is believed.
      const file = host.hold === undefined ? host.realPath(full) : undefined
      const identity = file === undefined ? undefined : host.identity(file)
      if (file === undefined || identity === undefined) return { _tag: "Unseen", path }
      return { _tag: "Seen", seen: { path: full, file, entry: file, identity } }
    },
    variable: host.variable,
  }
}
