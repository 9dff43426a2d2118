/** Loads the content of the lazy files of a file system. */
import { MemoryFile } from "./MemoryFile.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import { volumesOf } from "./snapshotFormat.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

/** Returns the lazy files of the volumes in memory whose content is not loaded, with their paths. */
const unloadedFiles = (fs: VirtualFileSystem): ReadonlyArray<readonly [path: string, file: MemoryFile]> => {
  const found: Array<readonly [string, MemoryFile]> = []
  const folders: Array<MemoryFolder> = volumesOf(fs).filter(({ volume }) => volume.hasLazyFiles)
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const path = folder.path === "/" ? "" : folder.path
    for (const [name, node] of folder.ownNames()) {
      if (node instanceof MemoryFolder) folders.push(node)
      else if (node instanceof MemoryFile && !node.isLoaded) found.push([`${path}/${name}`, node])
    }
  }
  return found
}

/** Loads all lazy files, one after the other. Returns the first that failed. */
export const loadFiles = async (
  fs: VirtualFileSystem,
): Promise<{ readonly path: string; readonly errno: number } | undefined> => {
  for (const [path, file] of unloadedFiles(fs)) {
    const errno = await file.load()
    if (errno < 0) return { path, errno }
  }
  return undefined
}
