/**
 * Builds walls with `unshare`, `mount` and `setpriv` of util-linux, where bubblewrap is not installed. Slower: each mount is a
 * process.
 *
 * Source: unshare(1), mount(8), setpriv(1), user_namespaces(7), mount_namespaces(7).
 */
import type { Walls } from "./enclose.ts"
import type { EngineSettings } from "./EngineSettings.ts"
import { launcherWords, outerWords, packEnvironment } from "./launcher.ts"
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
  const { arch, filterPath, gid, launcher, mounts, rootPath, setpriv, shell, tmpBytes, uid, unshare } = settings
  const perl = launcher.kind === "perl"
  return {
    reportsSignals: perl,
    depth: perl ? 2 : 1,
    build: ({ args, argv0, env, file, terminal }, cwd, statusPath, socket) => {
      const packed = packEnvironment(env?.set ?? {})
      const variables = Object.keys(packed).length
      const own: ReadonlyArray<Mount> = socket === undefined ? [] : [{ _tag: "ReadOnly", path: socket }]
      const filter = perl && filterPath !== undefined
      return {
        file: shell,
        env: packed,
        args: [
          ...outerWords(statusPath, filterPath ?? "/dev/null"),
          ...[setpriv, "--pdeathsig", "KILL", unshare, ...namespaces, "--", shell, "-c", unshareScript, "sluice"],
          ...[rootPath, String(tmpBytes), cwd, String(uid), String(gid)],
          terminal === undefined ? "new" : "keep",
          ...[...mounts(), ...own].flatMap(mountWords),
          "--",
          ...launcherWords(launcher, {
            arch,
            variables,
            name: argv0 ?? file,
            file,
            onTerminal: terminal !== undefined,
            filter,
            socket,
            // The script has checked them.
            bound: [],
          }),
          ...args,
        ],
      }
    },
  }
}
