/**
 * Declares the synchronous file calls that a host folder needs; `nodeHostFiles.ts` implements them with `node:fs`. Paths are
 * absolute paths of the host. A call never follows a symbolic link in the last component, never waits and never throws; a
 * negative number is an errno.
 */
import type { FileType, Stat } from "../Stat.ts"

export interface HostOpenOptions {
  readonly read: boolean
  readonly write: boolean
  readonly append: boolean
  /** Create it with this mode; it must not exist. */
  readonly create?: number | undefined
}

export interface HostEntry {
  readonly name: string
  /** `undefined` for an entry that is not a file, folder or link, or whose name may not be Unicode. */
  readonly type: FileType | undefined
}

export interface HostFiles {
  /** Returns the canonical path of a folder, without a slash at the end. */
  readonly realFolder: (path: string) => string | number
  /** Whether a name is a plain file name on the host: on Windows `a\b` and `c:` are not. */
  readonly accepts: (name: string) => boolean
  /**
   * Calls `use` with a path that leads to a folder for as long as `use` runs. `-ENOTCAPABLE` if the given path is no
   * longer canonical: one of its folders was replaced by a link.
   */
  readonly within: <A>(folder: string, use: (path: string) => A | number) => A | number

  /** Opens a regular file and returns its handle; `-ENXIO` for a pipe, socket or device, `-ELOOP` for a link. */
  readonly open: (path: string, options: HostOpenOptions) => number
  readonly close: (handle: number) => void
  readonly read: (handle: number, offset: number, into: Uint8Array) => number
  /** Writes at an offset, or at the end if it was opened with `append`. */
  readonly write: (handle: number, offset: number, from: Uint8Array) => number
  readonly stat: (handle: number) => Stat | number
  readonly truncate: (handle: number, size: number) => number
  readonly sync: (handle: number) => number
  readonly setHandleTimes: (handle: number, accessed: bigint, modified: bigint) => number

  readonly lstat: (path: string) => Stat | number
  /** Returns the names in a folder, with their types if the host has them. */
  readonly list: (path: string) => ReadonlyArray<HostEntry> | number
  readonly readlink: (path: string) => string | number
  readonly makeDirectory: (path: string, mode: number) => number
  readonly removeDirectory: (path: string) => number
  readonly unlink: (path: string) => number
  readonly rename: (from: string, to: string) => number
  readonly link: (from: string, to: string) => number
  readonly symlink: (target: string, path: string) => number
  /** `-ENOTSUP` for a link. */
  readonly setMode: (path: string, mode: number) => number
  readonly setTimes: (path: string, accessed: bigint, modified: bigint) => number
}
