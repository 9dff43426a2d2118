/** Freezes the volumes of a file system: files in memory keep their state at the time of the call. */
import { forkOf, freeze } from "../fs/freeze.ts"
import { MemoryFolder } from "../fs/MemoryFolder.ts"
import type { Folder } from "../fs/Node.ts"
import type { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"

/** Roots of volumes by the path where they are mounted. */
export type FrozenVolumes = ReadonlyMap<string, Folder>

/** The root of a volume, with the current state of files in memory. */
export const freezeRoot = (root: Folder): Folder => {
  if (!(root instanceof MemoryFolder) || root.volume.readOnly) return root
  const frozen = forkOf(freeze(root))({ now: () => 0n, device: () => 0, descriptors: () => undefined })
  return typeof frozen === "number" ? root : frozen
}

export const freezeVolumes = (files: VirtualFileSystem): FrozenVolumes =>
  new Map(files.volumes().map((root) => [root.path, freezeRoot(root)]))
