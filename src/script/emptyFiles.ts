/** Makes the files of a script whose leaf has its files elsewhere: devices, and an empty working directory. */
import { devices } from "../kernel/fs/devices.ts"
import { makeFolders } from "../kernel/fs/files.ts"
import { memory } from "../kernel/fs/memory.ts"
import { VirtualFileSystem } from "../kernel/fs/VirtualFileSystem.ts"
import { systemClock } from "../kernel/process/KernelClock.ts"

export const isDevice = (path: string): boolean => /^\/dev\/(?:null|zero|full|u?random|tty)$/.test(path)

export const emptyFiles = (cwd: string): VirtualFileSystem => {
  const fileSystem = VirtualFileSystem.make({ mounts: { "/": memory(), "/dev": devices({}) }, now: systemClock.now })
  makeFolders(fileSystem, cwd)
  return fileSystem
}
