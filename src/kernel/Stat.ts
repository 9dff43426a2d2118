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
  readonly device: number
  readonly inode: number
  readonly type: FileType
  /** Permission bits, `0o7777` at most. */
  readonly mode: number
  readonly links: number
  /** Bytes. */
  readonly size: number
  readonly accessed: bigint
  readonly modified: bigint
  readonly changed: bigint
}

/** A name in a folder. `.` and `..` are not listed: who must show them adds them. */
export interface DirectoryEntry {
  readonly name: string
  readonly inode: number
  readonly type: FileType
}
