/**
 * Plans the file system of isolated commands from the options of a leaf: programs of the system, private folders, and the
 * named files and folders of the host. Paths that no option names do not exist inside.
 *
 * The plan is an allowlist: the host's sockets (Docker, D-Bus, X11, agents of SSH and GnuPG) are in `/run`, `/tmp` and the
 * home folder, and commands get private ones.
 */
import { quote } from "../../base/quote.ts"
import { OptionError } from "../../base/OptionError.ts"
import type { Host } from "../../host/Host.ts"
import { isWithin, toAbsolute } from "../../host/paths.ts"
import type { IsolatedShellSettings } from "./IsolatedShellOptions.ts"
import { denoAdvice } from "./advice.ts"
import { type Mount, sortMounts } from "./Mount.ts"

type Files = Pick<Host, "cwd" | "fileKind" | "realPath" | "runtime" | "variable">

/** Folders of programs and their settings, which hold no state of a running system (hier(7); Nix and Guix have stores). */
const systemFolders = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix/store", "/gnu/store"],
  // macOS.
  ...["/System", "/Library", "/private/etc"],
]

/** Passwords and keys that root may read; an isolated command of root could read them, too. */
const systemSecrets = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/security/opasswd", "/etc/krb5.keytab"],
  ...[
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/wireguard",
    "/etc/docker",
    "/etc/kubernetes",
  ],
  ...["/etc/NetworkManager/system-connections", "/etc/letsencrypt", "/etc/rancher"],
]

/** Folders of the kernel: nothing of the host may be mounted there. */
const kernelFolders = ["/proc", "/dev", "/sys"]

const isThere = (files: Files, path: string): boolean => files.fileKind(path) !== "none"

const hide = (files: Files, path: string): Mount => ({
  _tag: "Hidden",
  path,
  directory: files.fileKind(path) === "directory",
})

/** The canonical home folder, if there is one that can be replaced. */
const homeOf = (files: Files): string | undefined => {
  const home = files.variable("HOME")
  const path = home?.startsWith("/") === true ? files.realPath(home) : undefined
  return path === undefined || path === "/" || kernelFolders.some((folder) => isWithin(path, folder)) ? undefined : path
}

/** Finds a path of an option; `undefined` only if it does not exist, because an unreadable path may be a secret. */
const findPath = (files: Files, option: string, path: string): string | undefined => {
  const home = files.variable("HOME")
  const isInHome = path === "~" || path.startsWith("~/")
  if (isInHome && home === undefined) {
    throw new OptionError(
      option,
      `IsolatedShell: ${option} names ${quote(path)}, and HOME is not set, or may not be read`,
    )
  }
  const absolute = toAbsolute("posix", files.cwd() ?? "/", isInHome ? `${home}${path.slice(1)}` : path)
  const found = files.realPath(absolute)
  if (found === undefined && isThere(files, absolute)) {
    const advice = files.runtime === "deno" ? `; ${denoAdvice}` : ""
    throw new OptionError(option, `IsolatedShell: ${option} names ${quote(path)}, which cannot be accessed${advice}`)
  }
  return found
}

/** Resolves a path of an option; fails where there is nothing. */
const resolvePath = (files: Files, option: string, path: string): string => {
  const found = findPath(files, option, path)
  if (found === undefined) {
    throw new OptionError(option, `IsolatedShell: ${option} names ${quote(path)}, which does not exist`)
  }
  if (kernelFolders.some((folder) => isWithin(found, folder))) {
    throw new OptionError(option, `IsolatedShell: ${option} names ${quote(path)}: the kernel's folders are private`)
  }
  return found
}

const resolveWritable = (files: Files, path: string): string => {
  const found = resolvePath(files, "writable", path)
  if (files.fileKind(found) !== "directory") {
    throw new OptionError("writable", `IsolatedShell: writable names ${quote(path)}, which is not a folder`)
  }
  if (systemFolders.some((folder) => isWithin(folder, found) || isWithin(found, folder))) {
    throw new OptionError(
      "writable",
      `IsolatedShell: writable names ${quote(path)}, which holds programs of the system; name a folder of your own`,
    )
  }
  return found
}

const systemMounts = (files: Files): ReadonlyArray<Mount> =>
  systemFolders.flatMap((path): ReadonlyArray<Mount> => {
    const target = isThere(files, path) ? files.realPath(path) : undefined
    if (target === undefined) return []
    return target === path ? [{ _tag: "ReadOnly", path }] : [{ _tag: "Link", path, target }]
  })

/** The file system of isolated commands. */
export interface MountPlan {
  /** In the order in which they are made. */
  readonly mounts: ReadonlyArray<Mount>
  /** The canonical writable folders. */
  readonly writable: ReadonlyArray<string>
}

/** Plans the mounts. */
export const planMounts = (files: Files, settings: IsolatedShellSettings): MountPlan => {
  const home = homeOf(files)
  const writable = settings.writable.map((path) => resolveWritable(files, path))
  const readable = settings.readable.map((path) => resolvePath(files, "readable", path))
  // A missing path is not hidden later either: a command may read a file that it makes itself.
  const hidden = settings.hidden.flatMap((path) => {
    const found = findPath(files, "hidden", path)
    return found === undefined ? [] : [hide(files, found)]
  })
  const own: ReadonlyArray<Mount> = [
    ...["/tmp", "/var/tmp", ...(home === undefined ? [] : [home])].map((path): Mount => ({ _tag: "Private", path })),
    // If the whole host is readable, so are its sockets.
    ...(readable.includes("/") ? ["/run", "/sys", "/var/run"].filter((path) => files.realPath(path) === path) : [])
      .map((path): Mount => ({ _tag: "Hidden", path, directory: true })),
    ...systemSecrets.filter((path) => isThere(files, path)).map((path) => hide(files, path)),
    ...readable.map((path): Mount => ({ _tag: "ReadOnly", path })),
    ...writable.map((path): Mount => ({ _tag: "Writable", path })),
    ...hidden,
  ]
  return { mounts: sortMounts([...systemMounts(files), ...own]), writable }
}
