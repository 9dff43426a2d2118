/** Replaces the in-memory files of a file system with those of a snapshot. */
import { type Coroutine, runCoroutineSync } from "../Coroutine.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import type { Folder } from "./Node.ts"
import { version, versionKey, volumesOf } from "./snapshotFormat.ts"
import { readTarSteps, type TarContent } from "./tarReader.ts"
import { unpackMembers } from "./unpackMembers.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

/**
 * Replaces everything in memory by the content of a snapshot; open files stay valid, and open folders become removed
 * ones. Throws when the bytes are not a snapshot, before anything is changed, or do not fit into the volumes.
 */
export const restore = (fs: VirtualFileSystem, archive: Uint8Array): void => restoreContent(fs, readSnapshot(archive))

/** Reads an archive; throws when it is not a snapshot. */
const readSnapshot = (archive: Uint8Array): TarContent => runCoroutineSync(readSnapshotSteps(archive))

/** As {@link readSnapshot}, in steps. */
export function* readSnapshotSteps(archive: Uint8Array): Coroutine<TarContent> {
  const content = yield* readTarSteps(archive)
  if (content.records.get(versionKey) === version) return content
  throw new Error(`snapshot: this is not a snapshot of version ${version}`)
}

/** As {@link restore}; yields from time to time, so only for a file system that nothing else uses. */
export function* restoreSteps(fs: VirtualFileSystem, archive: Uint8Array): Coroutine<void> {
  yield* replaceFiles(fs, yield* readSnapshotSteps(archive))
}

/** As {@link restoreContent}; yields from time to time, so only for a file system that nothing else uses. */
export const restoreContentSteps = (fs: VirtualFileSystem, content: TarContent): Coroutine<void> =>
  replaceFiles(fs, content)

/** Replaces everything in memory by the content of a snapshot that was read. */
export const restoreContent = (fs: VirtualFileSystem, content: TarContent): void =>
  runCoroutineSync(replaceFiles(fs, content))

function* replaceFiles(fs: VirtualFileSystem, { members }: TarContent): Coroutine<void> {
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
  yield* unpackMembers(fs.root, members)
}
