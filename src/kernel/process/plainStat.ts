/** Builds the `stat` result of open files that belong to no file system: pipes, captures, streams. */
import type { FileType, Stat } from "../Stat.ts"

let inodes = 0

/** Returns a new inode number for a file outside every file system. */
export const nextInode = (): number => ++inodes

export const plainStat = (type: FileType, inode: number, size: number): Stat => ({
  device: 0,
  inode,
  type,
  mode: 0o600,
  links: 1,
  size,
  accessed: 0n,
  modified: 0n,
  changed: 0n,
})
