/**
 * A volume in memory.
 *
 * @module
 */
import { MemoryFolder } from "./MemoryFolder.ts"
import { Inode, type MemoryLimits, MemoryVolume } from "./MemoryVolume.ts"
import type { Volume } from "./Node.ts"

/** How a volume in memory is made. */
export interface MemoryOptions extends MemoryLimits {
  /** Permission bits of its first folder. Default: `0o755`. */
  readonly mode?: number | undefined
}

/** A volume in memory, empty at first: files, folders, links, modes and times as an unprivileged owner sees them. */
export const memory = (options: MemoryOptions = {}): Volume => (context) => {
  const volume = new MemoryVolume(context, options)
  return new MemoryFolder(volume, new Inode(volume, options.mode ?? 0o755))
}
