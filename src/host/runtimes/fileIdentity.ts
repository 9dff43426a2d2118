/**
 * Computes the identity of files, and holds directories open so that they cannot be replaced.
 *
 * Source: stat(2), open(2), proc_pid_fd(5).
 */
import type * as NodeFs from "node:fs"
import type { HeldDirectory } from "../Host.ts"

/** Formats the identity of a file or directory. A directory's times change with its entries, so they are left out. */
export const formatIdentity = (stat: NodeFs.BigIntStats): string =>
  stat.isDirectory() ? `${stat.dev}:${stat.ino}` : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`

/** `O_PATH` of open(2), which node:fs does not export: opens a directory without read permission. */
const openPath = 0o10000000

/**
 * Holds a directory open with a single lookup of its path. The open directory shows its own identity, and a process that
 * starts in it uses no other path. The descriptor is closed on exec.
 */
export const holdDirectory = (
  { closeSync, constants, fstatSync, openSync, readlinkSync }: typeof NodeFs,
  pid: number,
  path: string,
): HeldDirectory => {
  const fd = openSync(path, openPath | constants.O_DIRECTORY)
  try {
    const file = readlinkSync(`/proc/self/fd/${fd}`)
    const stat = fstatSync(fd, { bigint: true })
    // Removed, or unreachable for this process.
    if (stat.nlink === 0n || !file.startsWith("/")) throw new Error("ENOENT")
    return { path: `/proc/${pid}/fd/${fd}`, file, identity: formatIdentity(stat), release: () => closeSync(fd) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}
