/**
 * Makes overlays, read-only views and unions of volumes, which never change the lower volumes. Unlike overlayfs, a file that is
 * open sees what is written after the copy, a copied file stays the same inode, and folders can be moved. Source:
 * Documentation/filesystems/overlayfs.rst.
 */
import { LayeredFolder } from "./LayeredFolder.ts"
import { type MemoryLimits, type MemoryLimitSettings, MemoryVolume, resolveMemoryLimits } from "./MemoryVolume.ts"
import type { Folder, Volume } from "./Node.ts"

const makeLayered =
  (lowers: ReadonlyArray<Volume>, limits: MemoryLimitSettings, readOnly: boolean): Volume => (context) => {
    const folders: Array<Folder> = []
    for (const lower of lowers) {
      const folder = lower(context)
      if (typeof folder === "number") return folder
      folders.push(folder)
    }
    return new LayeredFolder(new MemoryVolume(context, limits, readOnly), folders)
  }

/**
 * Makes a volume that shows another one and keeps all changes in memory: a file is copied at the first write, a removed
 * one is only hidden. The limits apply to the changes. Several lower volumes are merged as by {@link union}.
 *
 * @throws {OptionError} for an unknown limit, or one that is not a whole number
 *
 * @example
 * ```ts
 * import { FileSystem } from "@sluice/shell/kernel"
 * import { overlay, hostFolder } from "@sluice/shell/sandbox"
 *
 * const files = FileSystem.VirtualFileSystem.make({ mounts: { "/": overlay(hostFolder(".")) }, now: () => 0n })
 * // Removed in the sandbox; on the host it still exists.
 * console.log(files.unlink(files.root, "/README.md")) // 0
 * console.log(typeof files.stat(files.root, "/README.md")) // number
 * ```
 */
export const overlay = (lower: Volume | ReadonlyArray<Volume>, limits: MemoryLimits = {}): Volume =>
  makeLayered(typeof lower === "function" ? [lower] : lower, resolveMemoryLimits("overlay", limits), false)

/**
 * Makes a read-only view of a volume: every change fails with `-EROFS`.
 *
 * @example
 * ```ts
 * import { errnoName, FileSystem } from "@sluice/shell/kernel"
 * import { hostFolder, readOnly } from "@sluice/shell/sandbox"
 *
 * const files = FileSystem.VirtualFileSystem.make({ mounts: { "/": readOnly(hostFolder(".")) }, now: () => 0n })
 * console.log(errnoName(files.unlink(files.root, "/README.md"))) // EROFS
 * ```
 */
export const readOnly = (lower: Volume): Volume => makeLayered([lower], resolveMemoryLimits("readOnly", {}), true)

/**
 * Merges volumes into a read-only one: folders of the same name become one folder; of files with the same name, that of
 * the first volume is visible.
 *
 * @example
 * ```ts
 * import { FileSystem } from "@sluice/shell/kernel"
 * import { hostFolder, memory, union } from "@sluice/shell/sandbox"
 *
 * const files = FileSystem.VirtualFileSystem.make({ mounts: { "/": union([memory(), hostFolder(".")]) }, now: () => 0n })
 * console.log(typeof files.stat(files.root, "/README.md")) // object
 * ```
 */
export const union = (lowers: ReadonlyArray<Volume>): Volume =>
  makeLayered(lowers, resolveMemoryLimits("union", {}), true)
