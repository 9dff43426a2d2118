/**
 * Implements the file calls of a host folder with `node:fs`, on Node, Deno and Bun, and refuses folders that were replaced by a
 * link.
 *
 * The kernel resolves every path itself and checks each name with `lstat` before it enters it, so only a process
 * outside the sandbox could replace a folder by a link at the same moment. Against this, on Linux, each call holds the
 * folder by an `O_PATH` handle and compares its location in `/proc/self/fd`. Two gaps remain: a lookup that loses the
 * race can reveal the type of a file outside, and a folder that is moved out within microseconds after the check is
 * still used. Elsewhere the canonical path is compared before each call and, for opened files, after it; a process that
 * wins the race in between redirects that one call. Hard links that others put into the folder cannot be detected.
 * Source: open(2) `O_PATH`, `O_NOFOLLOW`; proc(5) `/proc/pid/fd`.
 */
import type * as NodeFs from "node:fs"
import { canReadAnything } from "../../base/canReadAnything.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import { Errno } from "../Errno.ts"
import type { HostFiles } from "./HostFiles.ts"
import { listInOrder, makeDetailedStat } from "./hostDetails.ts"
import { FileType, type Stat } from "../Stat.ts"
import { resultOrErrno, toHostEntry, toStat, zeroOrErrno } from "./nodeErrors.ts"

/** The flag of a handle that only locates a file. `node:fs` does not name it. */
const O_PATH = 0x200000

const seconds = (nanoseconds: bigint): number => Number(nanoseconds) / 1e9

/** Names with another meaning on Windows: streams, drives, devices, and trailing dots, which it drops. */
// deno-lint-ignore no-control-regex
const invalidOnWindows = /[\\/:*?"<>|\x00-\x1f]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** The path of a folder that is given without a slash at its end: `""` is the root, and `C:` of Windows that of a drive. */
const rootOf = (folder: string): string => folder === "" || /^[A-Za-z]:$/.test(folder) ? `${folder}/` : folder

export interface HostFilesOptions {
  /**
   * Hold each folder by a handle during a call, so that no other process can replace it; this takes about three more
   * system calls. Default: `true` on Linux with a readable `/proc`; impossible elsewhere.
   */
  readonly holdFolders?: boolean | undefined
  /**
   * Whether stats include owners and blocks, and folders are listed in the order of the host. Default: `false`, which
   * reveals none of this to a sandbox.
   */
  readonly details?: boolean | undefined
}

/**
 * Makes the file calls of this machine, for `hostFolder`. Throws where there is no `node:fs`: in a browser, or an edge isolate.
 */
export const hostFiles = ({ details = false, holdFolders = true }: HostFilesOptions = {}): HostFiles => {
  const found = nodeBuiltins()
  if (found === undefined) throw new Error("host files: this runtime has no node:fs")
  const fs = found.getBuiltinModule("node:fs")
  const files = make(fs, found.platform === "win32", holdFolders && canHold(fs, found.platform), details)
  return details ? { ...files, list: (path) => resultOrErrno(() => listInOrder(fs, path)) } : files
}

/** Whether the system reports the path of an open handle and resolves paths through it. */
const canHold = (fs: typeof NodeFs, platform: string): boolean => {
  if (platform !== "linux" || !canReadAnything()) return false
  return resultOrErrno(() => {
    const handle = fs.openSync("/", O_PATH | fs.constants.O_DIRECTORY | fs.constants.O_NOFOLLOW)
    try {
      return fs.readlinkSync(`/proc/self/fd/${handle}`) === "/" &&
        fs.lstatSync(`/proc/self/fd/${handle}/.`).isDirectory()
    } finally {
      fs.closeSync(handle)
    }
  }) === true
}

const make = (fs: typeof NodeFs, windows: boolean, holds: boolean, details: boolean): HostFiles => {
  const statOf = details ? makeDetailedStat(fs) : toStat
  const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = fs.constants
  // Missing on Windows: 0 means no flag.
  const noFollow = O_NOFOLLOW ?? 0
  const noWait = O_NONBLOCK ?? 0

  const canonical = (folder: string): string => {
    const real = fs.realpathSync.native(folder)
    return windows ? real.replaceAll("\\", "/") : real
  }

  const lstat = (path: string): Stat | number => resultOrErrno(() => statOf(fs.lstatSync(path, { bigint: true })))
  const stat = (handle: number): Stat | number => resultOrErrno(() => statOf(fs.fstatSync(handle, { bigint: true })))
  const close = (handle: number): void => void zeroOrErrno(() => fs.closeSync(handle))

  /** Calls `use` with an `O_PATH` handle, which is closed afterwards. */
  const held = <A>(path: string, flags: number, use: (handle: number) => A | number): A | number => {
    const handle = resultOrErrno(() => fs.openSync(path, O_PATH | noFollow | flags))
    if (handle < 0) return handle
    try {
      return use(handle)
    } finally {
      close(handle)
    }
  }

  const within: HostFiles["within"] = (folder, use) => {
    const path = rootOf(folder)
    if (holds) {
      return held(path, O_DIRECTORY, (handle) => {
        const self = `/proc/self/fd/${handle}`
        const where = resultOrErrno(() => fs.readlinkSync(self))
        return where === path ? use(self) : -Errno.ENOTCAPABLE
      })
    }
    const where = resultOrErrno(() => canonical(path))
    if (typeof where === "number") return where
    return where === path ? use(folder) : -Errno.ENOTCAPABLE
  }

  /** Whether a path still leads to the opened file, without a link on the way. */
  const stillThere = (path: string, opened: Stat): boolean => {
    if (holds) return true
    const folder = rootOf(path.slice(0, path.lastIndexOf("/")))
    const now = lstat(path)
    return typeof now !== "number" && now.inode === opened.inode && now.device === opened.device &&
      resultOrErrno(() => canonical(folder)) === folder
  }

  const open: HostFiles["open"] = (path, { append, create, read, write }) => {
    // Deno creates files only when they are opened for writing; `OpenHostFile` refuses writes if the file was not
    // opened for writing.
    const access = write || create !== undefined ? read || !write ? O_RDWR : O_WRONLY : O_RDONLY
    const flags = access | noFollow | noWait | (append && write ? O_APPEND : 0) |
      (create === undefined ? 0 : O_CREAT | O_EXCL)
    const handle = resultOrErrno(() => fs.openSync(path, flags, create))
    if (handle < 0) return handle
    const opened = stat(handle)
    let wrong = 0
    if (typeof opened === "number") wrong = opened
    else if (opened.type !== FileType.regularFile) {
      wrong = opened.type === FileType.directory ? -Errno.EISDIR : -Errno.ENXIO
    } else if (!stillThere(path, opened)) wrong = -Errno.ENOTCAPABLE
    // The umask of this process must not apply to the sandbox.
    else if (create !== undefined && opened.mode !== create && !windows) {
      wrong = zeroOrErrno(() => fs.fchmodSync(handle, create))
    }
    if (wrong === 0) return handle
    close(handle)
    return wrong
  }

  const setMode = (path: string, mode: number): number => {
    if (holds) {
      return held(path, 0, (handle) => {
        const opened = stat(handle)
        if (typeof opened === "number") return opened
        if (opened.type === FileType.symbolicLink) return -Errno.ENOTSUP
        return zeroOrErrno(() => fs.chmodSync(`/proc/self/fd/${handle}`, mode))
      })
    }
    const now = lstat(path)
    if (typeof now === "number") return now
    return now.type === FileType.symbolicLink ? -Errno.ENOTSUP : zeroOrErrno(() => fs.chmodSync(path, mode))
  }

  return {
    realFolder: (path) =>
      resultOrErrno(() => {
        const real = canonical(path)
        if (!fs.statSync(real).isDirectory()) return -Errno.ENOTDIR
        return real.replace(/\/$/, "")
      }),
    accepts: (name) => !windows || !invalidOnWindows.test(name),
    within,
    open,
    close,
    read: (handle, offset, into) => resultOrErrno(() => fs.readSync(handle, into, 0, into.length, offset)),
    write: (handle, offset, from) => resultOrErrno(() => fs.writeSync(handle, from, 0, from.length, offset)),
    stat,
    truncate: (handle, size) => zeroOrErrno(() => fs.ftruncateSync(handle, size)),
    sync: (handle) => zeroOrErrno(() => fs.fsyncSync(handle)),
    setHandleTimes: (handle, accessed, modified) =>
      zeroOrErrno(() => fs.futimesSync(handle, seconds(accessed), seconds(modified))),
    lstat,
    list: (path) => resultOrErrno(() => fs.readdirSync(path, { withFileTypes: true }).map(toHostEntry)),
    readlink: (path) => resultOrErrno(() => fs.readlinkSync(path)),
    makeDirectory: (path, mode) => {
      const made = zeroOrErrno(() => fs.mkdirSync(path, mode))
      return made < 0 || windows ? made : setMode(path, mode)
    },
    removeDirectory: (path) => zeroOrErrno(() => fs.rmdirSync(path)),
    unlink: (path) => zeroOrErrno(() => fs.unlinkSync(path)),
    rename: (from, to) => zeroOrErrno(() => fs.renameSync(from, to)),
    link: (from, to) => zeroOrErrno(() => fs.linkSync(from, to)),
    symlink: (target, path) => zeroOrErrno(() => fs.symlinkSync(target, path)),
    setMode,
    setTimes: (path, accessed, modified) =>
      zeroOrErrno(() => fs.lutimesSync(path, seconds(accessed), seconds(modified))),
  }
}
