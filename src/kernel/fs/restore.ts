/** Replaces the in-memory files of a file system with those of a snapshot. */
import { MemoryFolder } from "./MemoryFolder.ts"
import type { Folder } from "./Node.ts"
import { version, versionKey, volumesOf } from "./snapshotFormat.ts"
import { readTar } from "./tarReader.ts"
import { unpackMembers } from "./unpackMembers.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

/**
 * Replaces everything in memory by the content of a snapshot; open files stay valid, open folders are then removed ones. Throws
 * when the bytes are not a snapshot, before anything is changed, or do not fit into the volumes.
 */
export const restore = (fs: VirtualFileSystem, archive: Uint8Array): void => {
  const { members, records } = readTar(archive)
  if (records.get(versionKey) !== version) throw new Error(`snapshot: this is not a snapshot of version ${version}`)
  const kept = new Set<Folder>()
  for (const root of fs.volumes()) {
    for (let at: Folder | undefined = root; at !== undefined; at = at.parent) kept.add(at)
  }
  for (const root of volumesOf(fs)) {
    const folders: Array<MemoryFolder> = [root]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const node of folder.forget(kept)) if (node instanceof MemoryFolder) folders.push(node)
    }
  }
  unpackMembers(fs.root, members)
}
