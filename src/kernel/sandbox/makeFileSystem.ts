/** Builds the file system of a sandbox from its options. */
import * as Result from "effect/Result"
import { Errno, errnoName, errnoText } from "../Errno.ts"
import { devices } from "../fs/devices.ts"
import { makeFolders } from "../fs/files.ts"
import { memory } from "../fs/memory.ts"
import { MountError } from "../fs/Mounts.ts"
import type { Volume } from "../fs/Node.ts"
import { VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import { systemClock } from "../process/KernelClock.ts"
import { SandboxError } from "./SandboxError.ts"
import { fileFailed, toAbsolutePath, writeWhole } from "./SandboxFiles.ts"
import type { SandboxLimitSettings, SandboxOptions } from "./SandboxOptions.ts"

export const defaultCwd = "/home/user"

export const mountFailed = (path: string, errno: number): SandboxError => {
  const code = errnoName(errno)
  return SandboxError.because({ _tag: "MountFailed", path, code }, `cannot mount ${path}: ${errnoText(errno)}`, code)
}

const canonical = (path: string): string =>
  `/${path.split("/").filter((name) => name !== "" && name !== ".").join("/")}`

const mountVolumes = (
  options: SandboxOptions,
  limits: SandboxLimitSettings,
): Result.Result<VirtualFileSystem, SandboxError> => {
  const { clock = systemClock, mounts = {}, random } = options
  const volumes: Record<string, Volume> = {
    "/": memory({ maxBytes: limits.maxTotalFileBytes, maxFiles: limits.maxFiles }),
    "/dev": devices({ random }),
  }
  for (const [path, volume] of Object.entries(mounts)) {
    if (!path.startsWith("/")) return Result.fail(mountFailed(path, -Errno.EINVAL))
    volumes[canonical(path)] = volume
  }
  return attemptMounts(() =>
    VirtualFileSystem.make({ mounts: volumes, now: clock.now, maxHostGrowthBytes: limits.maxTotalFileBytes })
  )
}

const attemptMounts = (make: () => VirtualFileSystem): Result.Result<VirtualFileSystem, SandboxError> => {
  try {
    return Result.succeed(make())
  } catch (cause) {
    if (cause instanceof MountError) return Result.fail(mountFailed(cause.path, cause.errno))
    throw cause
  }
}

export const forkFileSystem = (files: VirtualFileSystem): Result.Result<VirtualFileSystem, SandboxError> =>
  attemptMounts(() => files.fork())

/** Makes `/tmp`, which programs expect, unless `/` is read-only. */
const makeStandardFolders = (files: VirtualFileSystem): void => {
  if (makeFolders(files, "/tmp") === 0) files.setMode(files.root, "/tmp", 0o1777)
}

const writeInitialFiles = (
  files: VirtualFileSystem,
  { cwd = defaultCwd, files: given = {} }: SandboxOptions,
): SandboxError | undefined => {
  const made = makeFolders(files, cwd)
  if (made < 0) return fileFailed("make", cwd, made)
  for (const [path, file] of Object.entries(given)) {
    const { content, mode } = typeof file === "string" || file instanceof Uint8Array
      ? { content: file, mode: undefined }
      : file
    const written = writeWhole(files, toAbsolutePath(cwd, path), content, mode)
    if (written < 0) return fileFailed("write", path, written)
  }
  return undefined
}

export const makeFileSystem = (
  options: SandboxOptions,
  limits: SandboxLimitSettings,
): Result.Result<VirtualFileSystem, SandboxError> =>
  Result.flatMap(mountVolumes(options, limits), (files) => {
    makeStandardFolders(files)
    const failed = writeInitialFiles(files, options)
    return failed === undefined ? Result.succeed(files) : Result.fail(failed)
  })
