/**
 * Declares the types of files, the result of `stat` (type, size, mode, times), and the entries of a folder.
 * Source: stat(2), wasi_snapshot_preview1 `filestat`.
 */

/**
 * Types of files; the numbers are WASI's `filetype`.
 *
 * @example
 * ```ts
 * import { FileSystem, Volume } from "@sluice/shell/kernel"
 *
 * const files = FileSystem.VirtualFileSystem.make({ now: () => 0n })
 * files.makeDirectory(files.root, "/work", 0o755)
 * const stat = files.stat(files.root, "/work", {})
 * console.log(typeof stat !== "number" && stat.type === Volume.FileType.directory) // true
 * ```
 *
 * @stability stable
 */
export const FileType = {
  unknown: 0,
  blockDevice: 1,
  characterDevice: 2,
  directory: 3,
  regularFile: 4,
  socketDatagram: 5,
  socketStream: 6,
  symbolicLink: 7,
} as const

/**
 * One of {@link FileType}. A pipe is `unknown`: WASI has no type for it.
 *
 * @stability stable
 */
export type FileType = (typeof FileType)[keyof typeof FileType]

/**
 * The result of `stat`. Times are nanoseconds since 1970.
 *
 * @stability stable
 */
export interface Stat {
  /** Device number of its volume. */
  readonly device: number
  /** Inode number in the volume. */
  readonly inode: number
  /** The type of the file. */
  readonly type: FileType
  /** Permission bits, at most `0o7777`. */
  readonly mode: number
  /** Number of hard links. */
  readonly links: number
  /** Size in bytes. */
  readonly size: number
  /** Space on the disk in units of 512 bytes. Default: that of its size in blocks of 4 KiB. */
  readonly blocks?: number | undefined
  /** The owner, by number and by name. Default: the one user of the kernel. */
  readonly owner?:
    | { readonly uid: number; readonly gid: number; readonly user: string; readonly group: string }
    | undefined
  /** Last access. */
  readonly accessed: bigint
  /** Last change of the content. */
  readonly modified: bigint
  /** Last change of the content or the metadata. */
  readonly changed: bigint
}

/**
 * An entry of a folder. `.` and `..` are not listed.
 *
 * @stability stable
 */
export interface DirectoryEntry {
  /** Its name in the folder. */
  readonly name: string
  /** Inode number in the volume. */
  readonly inode: number
  /** The type of the file. */
  readonly type: FileType
}
