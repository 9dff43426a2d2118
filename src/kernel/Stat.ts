/**
 * What is known of a file.
 *
 * Source: stat(2), wasi_snapshot_preview1 `filestat`.
 *
 * @module
 */

/** What a file is; the numbers are WASI's `filetype`. */
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

/** One of {@link FileType}. A pipe is `unknown`, as WASI has no name for it. */
export type FileType = (typeof FileType)[keyof typeof FileType]

/** What `stat` answers. Times are nanoseconds since 1970. */
export interface Stat {
  /** The number of its volume. */
  readonly device: number
  /** Its number in the volume. */
  readonly inode: number
  /** What it is. */
  readonly type: FileType
  /** Permission bits, `0o7777` at most. */
  readonly mode: number
  /** How many names it has. */
  readonly links: number
  /** Bytes. */
  readonly size: number
  /** When it was read. */
  readonly accessed: bigint
  /** When it was written. */
  readonly modified: bigint
  /** When anything about it was changed. */
  readonly changed: bigint
}

/** A name in a folder. `.` and `..` are not listed: who must show them adds them. */
export interface DirectoryEntry {
  /** Its name in the folder. */
  readonly name: string
  /** Its number in the volume. */
  readonly inode: number
  /** What it is. */
  readonly type: FileType
}
