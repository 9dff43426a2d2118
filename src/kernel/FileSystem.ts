/**
 * Declares the file system calls that the kernel makes for its processes, on one tree of names from `/`. Every call is
 * synchronous, starts at a folder, and returns a negative errno when it fails.
 * Source: path_resolution(7), openat(2); wasi_snapshot_preview1 `path_*`.
 */
import type { Directory, OpenFile } from "./OpenFile.ts"
import type { DirectoryEntry, Stat } from "./Stat.ts"

/** Options of resolving a path. */
export interface Resolution {
  /** Follow a symbolic link in the last component. Default: `true`. */
  readonly follow?: boolean | undefined
  /**
   * Confine the path to the folder where it starts: an absolute path, a `..` above it, or a link that leads out of it
   * is `-ENOTCAPABLE`. WASI calls set it. Default: `false`; absolute paths start at the root.
   */
  readonly beneath?: boolean | undefined
  /**
   * With `beneath`: the folder at which absolute links start, as after chroot(2); their targets must still be beneath.
   * Default: absolute links are `-ENOTCAPABLE`.
   */
  readonly linkRoot?: Directory | undefined
}

/** Options of opening a file or a folder. */
export interface OpenOptions extends Resolution {
  /** Open it for reading. Default: `false`. */
  readonly read?: boolean | undefined
  /** Open it for writing. Default: `false`. */
  readonly write?: boolean | undefined
  /** Create it if it does not exist. Default: `false`. */
  readonly create?: boolean | undefined
  /** With `create`: fail with `-EEXIST` if it exists. Default: `false`. */
  readonly exclusive?: boolean | undefined
  /** Truncate it to 0 bytes first. Default: `false`. */
  readonly truncate?: boolean | undefined
  /** Fail with `-ENOTDIR` unless it is a folder. Default: `false`. */
  readonly directory?: boolean | undefined
  /** Bits of `FileFlag`. Default: 0. */
  readonly flags?: number | undefined
  /** Permission bits of a file that is created, the umask already applied. Default: `0o666`. */
  readonly mode?: number | undefined
}

/** The descriptors of a process, for `/dev/fd`. */
export interface Descriptors {
  /** Returns the open file of a descriptor. */
  readonly file: (fd: number) => OpenFile | undefined
  /** Returns the open descriptors. */
  readonly numbers: () => Iterable<number>
}

/** The space of a mounted volume. */
export interface VolumeUsage {
  /** The path where it is mounted. */
  readonly path: string
  /** Its kind: `memory`, `overlay`, `devices`, `host`; `unknown` for third-party volumes. */
  readonly kind: string
  /** Number of used bytes, and their limit; 0 if the volume has no space of its own. */
  readonly usedBytes: number
  readonly maxBytes: number
  /** Number of used names, and their limit. */
  readonly usedNames: number
  readonly maxNames: number
}

/** The file system calls of processes. A number is 0 or a negative errno. */
export interface FileSystem {
  /** The folder at which absolute paths start. */
  readonly root: Directory
  /** Returns the folder at a path, as a working directory: it stays the same folder when it is moved. */
  readonly directory: (at: Directory, path: string, options?: Resolution) => Directory | number
  /** Opens a file or a folder. The open file has one reference; that of a folder has `directory`. */
  readonly open: (at: Directory, path: string, options: OpenOptions) => OpenFile | number
  /** Returns the type, size, mode and times of the file at a path. */
  readonly stat: (at: Directory, path: string, options?: Resolution) => Stat | number
  /** Lists a folder in a stable order, without `.` and `..`. */
  readonly list: (at: Directory) => ReadonlyArray<DirectoryEntry> | number
  /** Makes a folder with these permission bits; `-EEXIST` if the name exists. */
  readonly makeDirectory: (at: Directory, path: string, mode: number, options?: Resolution) => number
  /** Makes a FIFO with these permission bits; `-EEXIST` if the name exists. */
  readonly makeFifo: (at: Directory, path: string, mode: number, options?: Resolution) => number
  /** Removes an empty folder. */
  readonly removeDirectory: (at: Directory, path: string, options?: Resolution) => number
  /** Removes one name of a file or a link. */
  readonly unlink: (at: Directory, path: string, options?: Resolution) => number
  /** Renames a file or a folder, replacing an existing target. */
  readonly rename: (from: Directory, path: string, to: Directory, toPath: string, options?: Resolution) => number
  /** Makes a hard link. `follow` applies to the last component of the old path. */
  readonly link: (from: Directory, path: string, to: Directory, toPath: string, options?: Resolution) => number
  /** Makes a symbolic link; its target need not exist. */
  readonly symlink: (target: string, at: Directory, path: string, options?: Resolution) => number
  /** Returns the target of a symbolic link. */
  readonly readlink: (at: Directory, path: string, options?: Resolution) => string | number
  /** Sets permission bits. */
  readonly setMode: (at: Directory, path: string, mode: number, options?: Resolution) => number
  /** Sets times in nanoseconds since 1970; `undefined` keeps a time. */
  readonly setTimes: (
    at: Directory,
    path: string,
    accessed: bigint | undefined,
    modified: bigint | undefined,
    options?: Resolution,
  ) => number
  /** Returns the space of each mounted volume, that of `/` first. Default: none is listed. */
  readonly usage?: (() => ReadonlyArray<VolumeUsage>) | undefined
  /** Returns the file system as one process sees it: `/dev/fd` shows its descriptors. */
  readonly withDescriptors?: ((descriptors: Descriptors) => FileSystem) | undefined
}
