/** Makes the files of a script on Windows: each drive is a folder, `/c`, and `C:/x` or `C:\x` is a path within it. */
import type { FileSystem } from "../kernel/FileSystem.ts"
import { devices } from "../kernel/fs/devices.ts"
import { makeHostFolder } from "../kernel/fs/HostFolder.ts"
import { memory } from "../kernel/fs/memory.ts"
import { hostFiles } from "../kernel/fs/nodeHostFiles.ts"
import { VirtualFileSystem } from "../kernel/fs/VirtualFileSystem.ts"
import { systemClock } from "../kernel/process/KernelClock.ts"

const drives = "abcdefghijklmnopqrstuvwxyz"

/** The script's path for a path of Windows: `/c/x` for `C:\x`. Other paths are unchanged. */
export const toScriptPath = (path: string): string => {
  const [, drive, rest = ""] = /^([A-Za-z]):(?:[\\/](.*))?$/s.exec(path) ?? []
  return drive === undefined ? path : `/${drive.toLowerCase()}/${rest.replaceAll("\\", "/")}`
}

/** The path of Windows for a script's path: `C:/x` for `/c/x`. */
export const toWindowsPath = (path: string): string => {
  const [, drive, rest = ""] = /^\/([A-Za-z])(?:\/(.*))?$/s.exec(path) ?? []
  return drive === undefined ? path : `${drive.toUpperCase()}:/${rest}`
}

const over = (files: VirtualFileSystem): FileSystem => {
  const to = toScriptPath
  return {
    root: files.root,
    directory: (at, path, options) => files.directory(at, to(path), options),
    open: (at, path, options) => files.open(at, to(path), options),
    stat: (at, path, options) => files.stat(at, to(path), options),
    list: (at) => files.list(at),
    makeDirectory: (at, path, mode, options) => files.makeDirectory(at, to(path), mode, options),
    makeFifo: (at, path, mode, options) => files.makeFifo(at, to(path), mode, options),
    removeDirectory: (at, path, options) => files.removeDirectory(at, to(path), options),
    unlink: (at, path, options) => files.unlink(at, to(path), options),
    rename: (from, path, at, toPath, options) => files.rename(from, to(path), at, to(toPath), options),
    link: (from, path, at, toPath, options) => files.link(from, to(path), at, to(toPath), options),
    symlink: (target, at, path, options) => files.symlink(target, at, to(path), options),
    readlink: (at, path, options) => files.readlink(at, to(path), options),
    setMode: (at, path, mode, options) => files.setMode(at, to(path), mode, options),
    setTimes: (at, path, accessed, modified, options) => files.setTimes(at, to(path), accessed, modified, options),
    withDescriptors: (descriptors) => over(files.withDescriptors(descriptors)),
  }
}

export const windowsFiles = (): FileSystem => {
  const files = hostFiles()
  const there = [...drives].filter((drive) => typeof files.realFolder(`${drive.toUpperCase()}:/`) === "string")
  return over(VirtualFileSystem.make({
    mounts: {
      "/": memory(),
      "/dev": devices({}),
      ...Object.fromEntries(there.map((drive) => [`/${drive}`, makeHostFolder(files, `${drive.toUpperCase()}:/`)])),
    },
    now: systemClock.now,
  }))
}
