/**
 * Builds walls with `unshare`, `mount` and `setpriv` of util-linux, where bubblewrap is not installed. This engine is
 * slower, because each mount is a process.
 *
 * Source: unshare(1), mount(8), setpriv(1), user_namespaces(7), mount_namespaces(7).
 */
import type { Walls } from "./enclose.ts"
import { type EngineSettings, launchedWalls } from "./EngineSettings.ts"
import { isBound } from "./boundMounts.ts"
import type { Mount } from "./Mount.ts"
import { unshareScript } from "./unshareScript.ts"

export interface UnshareSettings extends EngineSettings {
  readonly unshare: string
  readonly setpriv: string
  /** An empty folder, over which the new root is mounted. */
  readonly rootPath: string
  readonly uid: number
  readonly gid: number
}

const mountWords = (mount: Mount, index: number, all: ReadonlyArray<Mount>): ReadonlyArray<string> => {
  const { _tag, path } = mount
  switch (_tag) {
    case "Link":
      return ["link", path, mount.target]
    case "Hidden":
      return [mount.directory ? "hidden-folder" : "hidden-file", path]
    case "Private":
      return ["private", path]
    default:
      return [`${isBound(mount, index, all) ? "bound-" : ""}${_tag === "ReadOnly" ? "read-only" : "writable"}`, path]
  }
}

const namespaces = [
  ...["--user", "--map-root-user", "--mount", "--net", "--pid", "--ipc", "--uts", "--cgroup", "--fork"],
  "--kill-child=KILL",
]

/** Makes the walls. The process in between is the launcher, if that is perl. */
export const unshareEngine = (settings: UnshareSettings): Walls => {
  const { gid, launcher, rootPath, setpriv, shell, maxTmpBytes, uid, unshare } = settings
  const perl = launcher.kind === "perl"
  return launchedWalls(settings, {
    depth: perl ? 2 : 1,
    launcherFilters: perl,
    // The script checks them.
    launcherChecks: false,
    words: (mounts, cwd, onTerminal) => [
      ...[setpriv, "--pdeathsig", "KILL", unshare, ...namespaces, "--", shell, "-c", unshareScript, "sluice"],
      ...[rootPath, String(maxTmpBytes), cwd, String(uid), String(gid), onTerminal ? "keep" : "new"],
      ...mounts.flatMap(mountWords),
      "--",
    ],
  })
}
