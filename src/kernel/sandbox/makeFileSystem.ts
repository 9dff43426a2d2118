/** Builds the file system of a sandbox from its options. */
import * as Result from "effect/Result"
import { Errno, errnoName, errnoText } from "../Errno.ts"
import { devices } from "../fs/devices.ts"
import { makeFolders } from "../fs/files.ts"
import { memory } from "../fs/memory.ts"
import { MountError } from "../fs/Mounts.ts"
import type { Volume } from "../fs/Node.ts"
import { type ForkChanges, VirtualFileSystem } from "../fs/VirtualFileSystem.ts"
import { systemClock } from "../process/KernelClock.ts"
import { SandboxError } from "./SandboxError.ts"
import { fileFailed, toAbsolutePath, writeWhole } from "./SandboxFiles.ts"
import type { ContentLoader } from "./ContentLoader.ts"
import type { SandboxMachine } from "./SandboxMachine.ts"
import type { SandboxFile, SandboxLimitSettings, SandboxOptions } from "./SandboxOptions.ts"

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

export const forkFileSystem = (
  files: VirtualFileSystem,
  changes?: ForkChanges,
): Result.Result<VirtualFileSystem, SandboxError> => attemptMounts(() => files.fork(changes))

/** The clock and the random bytes of a fork that has its own. */
export const forkChanges = (
  { mounts = {} }: SandboxOptions,
  { clock = systemClock, random }: SandboxMachine,
): ForkChanges => ({
  now: clock.now,
  ...Object.keys(mounts).some((path) => canonical(path) === "/dev") ? {} : { mounts: { "/dev": devices({ random }) } },
})

/** Makes `/tmp`, which programs expect, unless `/` is read-only. */
const makeStandardFolders = (files: VirtualFileSystem): void => {
  if (makeFolders(files, "/tmp") === 0) files.setMode(files.root, "/tmp", 0o1777)
}

/** Adds files whose content is a function. Loaded when a sandbox has some. */
export interface LazyFiles {
  readonly add: typeof import("../fs/addLazyFile.ts").addLazyFile
  readonly loader: ContentLoader
}

/** Returns the content and the settings of an initial file. */
export const fileOf = (file: NonNullable<SandboxOptions["files"]>[string]): SandboxFile =>
  typeof file === "object" && !(file instanceof Uint8Array) ? file : { content: file }

const writeInitialFiles = (
  files: VirtualFileSystem,
  { cwd = defaultCwd, files: given = {} }: SandboxOptions,
  lazy: LazyFiles | undefined,
): SandboxError | undefined => {
  const made = makeFolders(files, cwd)
  if (made < 0) return fileFailed("make", cwd, made)
  for (const [path, file] of Object.entries(given)) {
    const { content, mode, mtime, size = 0 } = fileOf(file)
    const at = toAbsolutePath(cwd, path)
    const written = typeof content === "function"
      ? lazy?.add(files, at, {
        load: lazy.loader.load(content),
        failed: (cause) => lazy.loader.failed(path, cause),
        size,
        mode: mode ?? 0o644,
      }) ?? -Errno.ENOTSUP
      : writeWhole(files, at, content, mode)
    if (written < 0) return fileFailed("write", path, written)
    if (mtime !== undefined) files.setTimes(files.root, at, undefined, BigInt(mtime.getTime()) * 1_000_000n)
  }
  return undefined
}

export const makeFileSystem = (
  options: SandboxOptions,
  limits: SandboxLimitSettings,
  lazy: LazyFiles | undefined,
): Result.Result<VirtualFileSystem, SandboxError> =>
  Result.flatMap(mountVolumes(options, limits), (files) => {
    makeStandardFolders(files)
    const failed = writeInitialFiles(files, options, lazy)
    return failed === undefined ? Result.succeed(files) : Result.fail(failed)
  })
