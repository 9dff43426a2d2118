/**
 * Declares the synchronous file calls that a host folder needs. The kernel imports nothing of the host:
 * `nodeHostFiles.ts` implements them with `node:fs`.
 *
 * Paths are absolute paths of the host. A call never follows a symbolic link in the last place, never waits, never
 * throws; a number below zero is an errno.
 *
 * @module
 */
import type { Stat } from "../Stat.ts"

/** How a file of the host is opened. */
export interface HostOpenOptions {
  readonly read: boolean
  readonly write: boolean
  /** The host itself puts each write at the end. */
  readonly append: boolean
  /** Create it, with this mode; it must not be there. */
  readonly create?: number | undefined
}

/** The host's files. */
export interface HostFiles {
  /** The canonical path of a folder, without a slash at its end. */
  readonly realFolder: (path: string) => string | number
  /** Whether a name is one name to the host: `a\b` and `c:` are not, on Windows. */
  readonly accepts: (name: string) => boolean
  /**
   * Lets `use` work in a folder, by a path that leads to that very folder as long as `use` runs. `-ENOTCAPABLE` when the
   * canonical path that is given is no longer canonical: a link has come into it.
   */
  readonly within: <A>(folder: string, use: (path: string) => A | number) => A | number

  /** A handle. Regular files only: `-ENXIO` for a pipe, a socket or a device, `-ELOOP` for a link. */
  readonly open: (path: string, options: HostOpenOptions) => number
  readonly close: (handle: number) => void
  readonly read: (handle: number, offset: number, into: Uint8Array) => number
  /** At the end, when it was opened to append. */
  readonly write: (handle: number, offset: number, from: Uint8Array) => number
  readonly stat: (handle: number) => Stat | number
  readonly truncate: (handle: number, size: number) => number
  readonly sync: (handle: number) => number
  readonly setHandleTimes: (handle: number, accessed: bigint, modified: bigint) => number

  readonly lstat: (path: string) => Stat | number
  /** The names in a folder. */
  readonly list: (path: string) => ReadonlyArray<string> | number
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
