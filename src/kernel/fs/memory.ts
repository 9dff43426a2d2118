/** Makes an empty in-memory volume with its limits and permission bits, and refuses unknown options. */
import { MemoryFolder } from "./MemoryFolder.ts"
import { Inode, type MemoryLimits, MemoryVolume, resolveMemoryLimits } from "./MemoryVolume.ts"
import type { Volume } from "./Node.ts"

/** Options of {@link memory}. */
export interface MemoryOptions extends MemoryLimits {
  /** Permission bits of its root. Default: `0o755`. */
  readonly mode?: number | undefined
}

const optionNames: Readonly<Record<keyof MemoryOptions, true>> = {
  maxBytes: true,
  maxFileBytes: true,
  maxFiles: true,
  mode: true,
}

/**
 * Makes an empty in-memory volume with files, folders, links, modes and times, as an unprivileged owner sees them.
 *
 * @throws {OptionError} for an unknown option, or a limit that is not a whole number
 *
 * @example
 * ```ts
 * import { errnoName, FileSystem } from "@sluice/shell/kernel"
 * import { memory } from "@sluice/shell/sandbox"
 *
 * const files = FileSystem.VirtualFileSystem.make({ mounts: { "/": memory({ maxBytes: 4 }) }, now: () => 0n })
 * const file = files.open(files.root, "/notes.txt", { write: true, create: true })
 * if (typeof file === "number") throw new Error(errnoName(file))
 * // Four bytes fit, the fifth does not.
 * console.log(file.write(new TextEncoder().encode("hello"))) // 4
 * console.log(errnoName(file.write(new Uint8Array(1)))) // ENOSPC
 * file.release()
 * ```
 */
export const memory = (options: MemoryOptions = {}): Volume => {
  const limits = resolveMemoryLimits("memory", options, optionNames)
  return (context) => {
    const volume = new MemoryVolume(context, limits)
    return new MemoryFolder(volume, new Inode(volume, options.mode ?? 0o755))
  }
}
