/**
 * The file system as processes see it: one tree of names from `/`, mounted together from memory, folders of the host
 * and overlays. Every call is synchronous, starts at a folder, and answers with a negative errno when it fails.
 *
 * Source: path_resolution(7), openat(2); wasi_snapshot_preview1 `path_*`.
 *
 * @module
 */
import type { Directory, OpenFile } from "./OpenFile.ts"
import type { DirectoryEntry, Stat } from "./Stat.ts"

/** How a path is followed. */
export interface Resolution {
  /** Follow a symbolic link in the last place. Default: `true`. */
  readonly follow?: boolean | undefined
  /**
   * Never leave the folder where it starts: an absolute path, a `..` above it, or a link that leads out of it, is
   * `-ENOTCAPABLE`. WASI's calls ask for this. Default: `false`: absolute paths start at the root.
   */
  readonly beneath?: boolean | undefined
  /**
   * With `beneath`: the folder at which absolute links start, as after chroot(2); what they lead to must be beneath all
   * the same. Default: absolute links are `-ENOTCAPABLE`.
   */
  readonly linkRoot?: Directory | undefined
}

/** How to open a file. */
export interface OpenOptions extends Resolution {
  /** Open it to be read. Default: `false`. */
  readonly read?: boolean | undefined
  /** Open it to be written. Default: `false`. */
  readonly write?: boolean | undefined
  /** Create it when it is not there. */
  readonly create?: boolean | undefined
  /** Together with `create`: fail with `-EEXIST` when it is there. */
  readonly exclusive?: boolean | undefined
  /** Cut it to nothing first. Default: `false`. */
  readonly truncate?: boolean | undefined
  /** Fail with `-ENOTDIR` unless it is a folder. */
  readonly directory?: boolean | undefined
  /** Bits of `FileFlag`. Default: 0. */
  readonly flags?: number | undefined
  /** Permission bits of a file that is created. Default: `0o666`. The caller has taken its umask off already. */
  readonly mode?: number | undefined
}

/** The descriptors of a process, for `/dev/fd`. */
export interface Descriptors {
  /** The open file of a number. */
  readonly file: (fd: number) => OpenFile | undefined
  /** Which numbers are open. */
  readonly numbers: () => Iterable<number>
}

/** What processes may ask of a file system. Numbers are 0, or a negative errno. */
export interface FileSystem {
  /** Where absolute paths start. */
  readonly root: Directory
  /** The folder at a path. Processes keep it as their working directory; it stays the same folder when it is moved. */
  readonly directory: (at: Directory, path: string, options?: Resolution) => Directory | number
  /** Opens a file or a folder. What comes back has one reference; a folder has `directory`. */
  readonly open: (at: Directory, path: string, options: OpenOptions) => OpenFile | number
  /** What is known of the file at a path. */
  readonly stat: (at: Directory, path: string, options?: Resolution) => Stat | number
  /** What is in a folder, in a stable order, without `.` and `..`. */
  readonly list: (at: Directory) => ReadonlyArray<DirectoryEntry> | number
  /** Makes a folder with these permission bits: `-EEXIST` when something is there. */
  readonly makeDirectory: (at: Directory, path: string, mode: number, options?: Resolution) => number
  /** Removes an empty folder. */
  readonly removeDirectory: (at: Directory, path: string, options?: Resolution) => number
  /** Removes a name of a file or a link. */
  readonly unlink: (at: Directory, path: string, options?: Resolution) => number
  /** Gives a file or a folder another name, and replaces what has it. */
  readonly rename: (from: Directory, path: string, to: Directory, toPath: string, options?: Resolution) => number
  /** A hard link. `follow` is about the last place of the old path. */
  readonly link: (from: Directory, path: string, to: Directory, toPath: string, options?: Resolution) => number
  /** Makes a symbolic link, whatever its text leads to. */
  readonly symlink: (target: string, at: Directory, path: string, options?: Resolution) => number
  /** The text of a symbolic link. */
  readonly readlink: (at: Directory, path: string, options?: Resolution) => string | number
  /** Sets permission bits. */
  readonly setMode: (at: Directory, path: string, mode: number, options?: Resolution) => number
  /** Nanoseconds since 1970; `undefined` leaves one as it is. */
  readonly setTimes: (
    at: Directory,
    path: string,
    accessed: bigint | undefined,
    modified: bigint | undefined,
    options?: Resolution,
  ) => number
  /** The same file system as the process sees it whose descriptors these are: `/dev/fd` shows them. */
  readonly withDescriptors?: ((descriptors: Descriptors) => FileSystem) | undefined
}
