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

/** Opens a directory and names it by its descriptor in `/proc`: who goes there goes through no other path. */
export const holdDirectory = (
  { closeSync, constants, openSync }: typeof NodeFs,
  pid: number,
  path: string,
): HeldDirectory => {
  const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  return { path: `/proc/${pid}/fd/${fd}`, release: () => closeSync(fd) }
}
