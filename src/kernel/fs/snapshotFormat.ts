/** Defines the record keys of snapshot archives, and the errors and helpers that writing and restoring them share. */
import { errnoName, errnoText } from "../Errno.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import type { NodeOpenOptions } from "./Node.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

/** Record of the archive that holds the version of the format. */
export const versionKey: string = "SLUICE.snapshot"
export const version = "1"
/** Record of the archive that holds the state of the shell; empty before its first run. */
export const shellKey = "SLUICE.shell"
/** Record of a member that stands for a removed name; its value is the name. */
export const hiddenKey = "SLUICE.hidden"
export const makeSnapshotError = (doing: string, path: string, errno: number): Error =>
  new Error(`snapshot: ${doing} ${path}: ${errnoText(errno)} (${errnoName(errno)})`)

/** Returns the result of a call, and throws if it is an errno. */
export const throwOnErrno = <A>(doing: string, path: string, result: A | number): A => {
  if (typeof result === "number") throw makeSnapshotError(doing, path, result)
  return result
}

export const trustedOpen: NodeOpenOptions = { read: false, write: false, truncate: false, flags: 0, trusted: true }

export const volumesOf = (fs: VirtualFileSystem): ReadonlyArray<MemoryFolder> =>
  fs.volumes().filter((root) => root instanceof MemoryFolder).filter((root) => !root.volume.readOnly)
