/**
 * Which file a path leads to, and a directory that stays what it was.
 *
 * Source: stat(2), open(2), proc_pid_fd(5).
 *
 * @module
 */
import type * as NodeFs from "node:fs"
import type { HeldDirectory } from "./Host.ts"

/** What tells a file from any other; of a directory the times change with all that is done in it. */
export const identityOf = (stat: NodeFs.BigIntStats): string =>
  stat.isDirectory() ? `${stat.dev}:${stat.ino}` : `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`

/** `O_PATH` of open(2), which node:fs does not name: holds a directory that need not be readable. */
const holdsPath = 0o10000000

/**
 * Holds a directory: one lookup of its path. What is held says itself which directory it is, and the process that goes
 * there goes through no other path. The descriptor is closed on exec.
 */
export const holdDirectory = (
  { closeSync, constants, fstatSync, openSync, readlinkSync }: typeof NodeFs,
  pid: number,
  path: string,
): HeldDirectory => {
  const fd = openSync(path, holdsPath | constants.O_DIRECTORY)
  try {
    const file = readlinkSync(`/proc/self/fd/${fd}`)
    const stat = fstatSync(fd, { bigint: true })
    // Removed, or in no place that this process can reach.
    if (stat.nlink === 0n || !file.startsWith("/")) throw new Error("ENOENT")
    return { path: `/proc/${pid}/fd/${fd}`, file, identity: identityOf(stat), release: () => closeSync(fd) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}
