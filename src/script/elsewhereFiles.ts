/** Makes the file system of a script on a remote leaf: any access except entering a folder ends the script. */
import { Errno } from "../kernel/Errno.ts"
import type { FileSystem } from "../kernel/FileSystem.ts"
import { makeFolders } from "../kernel/fs/files.ts"
import type { VirtualFileSystem } from "../kernel/fs/VirtualFileSystem.ts"
import type { Directory } from "../kernel/OpenFile.ts"
import { emptyFiles } from "./emptyFiles.ts"

const absolute = (at: Directory, path: string): string => path.startsWith("/") ? path : `${at.path}/${path}`

/** Makes the file system. `refuse` is called with each path that was looked at. */
export const elsewhereFiles = (cwd: string, refuse: (path: string) => void): FileSystem => {
  const refused = (path: string): number => {
    refuse(path)
    return -Errno.EACCES
  }
  const over = (files: VirtualFileSystem): FileSystem => ({
    root: files.root,
    directory: (at, path, options) => {
      const found = files.directory(at, path, options)
      if (found !== -Errno.ENOENT) return found
      // The first command that runs in the folder finds out whether it exists.
      makeFolders(files, absolute(at, path))
      return files.directory(at, path, options)
    },
    stat: (at, path, options) => {
      const found = files.stat(at, path, options)
      return found === -Errno.ENOENT ? refused(path) : found
    },
    list: (at) => refused(at.path),
    open: (at, path, options) => files.open(at, path, options),
    readlink: (at, path, options) => files.readlink(at, path, options),
    makeDirectory: (_at, path) => refused(path),
    makeFifo: (_at, path) => refused(path),
    removeDirectory: (_at, path) => refused(path),
    unlink: (_at, path) => refused(path),
    rename: (_at, path) => refused(path),
    link: (_at, path) => refused(path),
    symlink: (_target, _at, path) => refused(path),
    setMode: (_at, path) => refused(path),
    setTimes: (_at, path) => refused(path),
    withDescriptors: (descriptors) => over(files.withDescriptors(descriptors)),
  })
  return over(emptyFiles(cwd))
}
