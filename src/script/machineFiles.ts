/** Makes the files of a script whose leaf is this machine: all of its files, with the devices of the kernel. */
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import type { FileSystem } from "../kernel/FileSystem.ts"
import { devices } from "../kernel/fs/devices.ts"
import { makeHostFolder } from "../kernel/fs/HostFolder.ts"
import { hostFiles } from "../kernel/fs/nodeHostFiles.ts"
import { VirtualFileSystem } from "../kernel/fs/VirtualFileSystem.ts"
import { systemClock } from "../kernel/process/KernelClock.ts"

/** Folders of `/dev` whose files are the machine's. */
const sharedMemory = "/dev/shm"

/** The umask of this program; `undefined` where it may not be read. */
export const machineUmask = (): number | undefined => {
  try {
    return nodeBuiltins()?.umask?.()
  } catch {
    return undefined
  }
}

/** Makes the file system of a POSIX machine. It makes and changes no file: a mount makes only a folder that is missing. */
export const machineFiles = (): FileSystem => {
  const files = hostFiles()
  const isThere = (path: string): boolean => typeof files.realFolder(path) === "string"
  const fileSystem = VirtualFileSystem.make({ mounts: { "/": makeHostFolder(files, "/") }, now: systemClock.now })
  if (isThere("/dev")) {
    fileSystem.mount("/dev", devices({}))
    if (isThere(sharedMemory)) fileSystem.mount(sharedMemory, makeHostFolder(files, sharedMemory))
  }
  return fileSystem
}
