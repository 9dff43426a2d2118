/**
 * Holds the record keys, errors and helpers that writing and restoring snapshots share.
 *
 * @module
 */
import { errnoName, errnoText } from "../Errno.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import type { NodeOpenOptions } from "./Node.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

/** What the archive says of itself. */
export const versionKey: string = "SLUICE.snapshot"
export const version = "1"
/** What a member says that stands for a name that was removed; its value is the name. */
export const hiddenKey = "SLUICE.hidden"
/** An error that says what was done, where, and what happened. */
export const snapshotFailure = (doing: string, path: string, errno: number): Error =>
  new Error(`snapshot: ${doing} ${path}: ${errnoText(errno)} (${errnoName(errno)})`)

/** What a call answered, unless it failed. */
export const orThrow = <A>(doing: string, path: string, result: A | number): A => {
  if (typeof result === "number") throw snapshotFailure(doing, path, result)
  return result
}

/** Opens without asking for the mode. */
export const trustedOpen: NodeOpenOptions = { read: false, write: false, truncate: false, flags: 0, trusted: true }

/** The volumes whose content is in a snapshot. */
export const volumesOf = (fs: VirtualFileSystem): ReadonlyArray<MemoryFolder> =>
  fs.volumes().filter((root) => root instanceof MemoryFolder).filter((root) => !root.volume.readOnly)
