/** Adds a lazy file to a file system. */
import { Errno } from "../Errno.ts"
import { makeFolders } from "./files.ts"
import { LazyContent, type LoadContent } from "./LazyContent.ts"
import { LazyFile } from "./LazyFile.ts"
import { MemoryFolder } from "./MemoryFolder.ts"
import type { VirtualFileSystem } from "./VirtualFileSystem.ts"

export interface LazyFileOptions {
  readonly load: LoadContent
  readonly failed: (cause: unknown) => void
  readonly size: number
  readonly mode: number
}

/**
 * Adds a lazy file by its path from `/`, in place of an existing file; missing folders on the way are made. Returns 0 or an errno,
 * `-ENOTSUP` where files are not in memory.
 */
export const addLazyFile = (fs: VirtualFileSystem, path: string, options: LazyFileOptions): number => {
  const end = path.lastIndexOf("/")
  const name = path.slice(end + 1)
  const made = makeFolders(fs, path.slice(0, end + 1))
  if (made < 0) return made
  if (name === "" || name === "." || name === "..") return -Errno.EISDIR
  const folder = fs.directory(fs.root, path.slice(0, end + 1))
  if (typeof folder === "number") return folder
  if (!(folder instanceof MemoryFolder)) return -Errno.ENOTSUP
  if (typeof fs.stat(folder, name, { follow: false }) !== "number") {
    const removed = fs.unlink(folder, name)
    if (removed < 0) return removed
  }
  const { failed, load, mode, size } = options
  const source = new LazyContent(load, failed)
  return folder.addFile(name, mode, (volume, inode) => new LazyFile(volume, inode, { source, size, cut: undefined }))
}
