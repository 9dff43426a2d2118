/** Opens files of this machine, reads them, and writes at their end. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as NodeFs from "node:fs"
import { BackendError, type FileWriter, type Names, type OpenedFile } from "./FileBackend.ts"
import { retryMoved } from "./holdPath.ts"
import { attempt, errorOf, waitFor } from "./hostCalls.ts"
import type { HostFolder } from "./HostFolder.ts"

interface OpenHandle {
  readonly handle: number
  readonly size: number
}

/** Number of bytes that are read or written as fast as a call on a name, which is faster than waking another thread. */
const maxSyncBytes = 16_384

export const movedFolder = "its folder was moved or removed during the write; write it again"

/** The permission bits of a new file until its own are set, so that no other user can open it before. */
export const newMode = (permissions: number | undefined): number => permissions === undefined ? 0o666 : 0o600

/** Flags of a new file that is written. `O_NOFOLLOW` is missing on Windows: 0 means no flag. */
export const newFileFlags = ({ O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY }: typeof NodeFs.constants): number =>
  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

/**
 * A buffer that is not filled with zeros, where the runtime has such buffers (Deno has none): only bytes that were read
 * from a file are returned.
 */
const allocate = (length: number): Uint8Array => {
  if (typeof Buffer === "undefined" || "Deno" in globalThis) return new Uint8Array(length)
  const { buffer, byteOffset } = Buffer.allocUnsafeSlow(length)
  return new Uint8Array(buffer, byteOffset, length)
}

export const close = (fs: typeof NodeFs, handle: number): Effect.Effect<void> =>
  Effect.ignore(attempt(() => fs.closeSync(handle)))

export const writeAll = (fs: typeof NodeFs, handle: number) => (bytes: Uint8Array): Effect.Effect<void, BackendError> =>
  Effect.gen(function* () {
    for (let at = 0; at < bytes.length;) {
      const length = bytes.length - at
      at += length <= maxSyncBytes
        ? yield* attempt(() => fs.writeSync(handle, bytes, at, length, null))
        : yield* waitFor<number>((done) => fs.write(handle, bytes, at, length, null, done))
    }
  })

export const flushed = ({ fs, settings }: HostFolder, handle: number): Effect.Effect<void, BackendError> =>
  settings.flush ? waitFor<void>((done) => fs.fsync(handle, done)) : Effect.void

/** Opens a regular file, and makes sure that it is the held one; retries if another process replaces it meanwhile. */
const openFile = (folder: HostFolder, names: Names, flags: number): OpenHandle =>
  retryMoved(() => {
    const { fs } = folder
    const held = folder.hold(names)
    try {
      const there = held.stats()
      if (!there.isFile()) throw new BackendError(there.isDirectory() ? "EISDIR" : "ENXIO")
      if (flags !== fs.constants.O_RDONLY) folder.requireChange(held.where)
      // Missing on Windows: 0 means no flag.
      const handle = fs.openSync(held.through, flags | (fs.constants.O_NONBLOCK ?? 0))
      const { dev, ino, size } = fs.fstatSync(handle)
      if (dev === there.dev && ino === there.ino && held.isThere()) return { handle, size }
      fs.closeSync(handle)
      return undefined
    } finally {
      held.release()
    }
  })

/** Makes a file to write at its end. `undefined`: another process made it at the same moment. */
const makeFile = (folder: HostFolder, names: Names, permissions: number | undefined): OpenHandle | undefined => {
  const { fs } = folder
  return folder.changeInFolder(names, (path, held) => {
    try {
      const handle = fs.openSync(path, newFileFlags(fs.constants) | fs.constants.O_APPEND, newMode(permissions))
      if (held.has(path, fs.fstatSync(handle))) return { handle, size: 0 }
      fs.closeSync(handle)
      throw new BackendError("ENOTCAPABLE", movedFolder)
    } catch (error) {
      if (errorOf(error).code === "EEXIST" && folder.statIfThere(path)?.isSymbolicLink() !== true) return undefined
      throw error
    }
  })
}

const openScoped = (
  folder: HostFolder,
  open: () => OpenHandle,
): Effect.Effect<OpenHandle, BackendError, Scope.Scope> =>
  folder.whileLocked(Effect.acquireRelease(attempt(open), ({ handle }) => close(folder.fs, handle)))

export const openToRead = (folder: HostFolder, names: Names): Effect.Effect<OpenedFile, BackendError, Scope.Scope> => {
  const { fs } = folder
  return Effect.map(
    openScoped(folder, () => openFile(folder, names, fs.constants.O_RDONLY)),
    ({ handle, size }) => ({
      size,
      read: (offset, length) => {
        const bytes = allocate(length)
        const read = length <= maxSyncBytes
          ? attempt(() => fs.readSync(handle, bytes, 0, length, offset))
          : waitFor<number>((done) => fs.read(handle, bytes, 0, length, offset, done))
        return Effect.map(read, (count) => bytes.subarray(0, count))
      },
    }),
  )
}

export const openToAppend = (
  folder: HostFolder,
  names: Names,
  create: boolean,
  permissions: number | undefined,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const { fs } = folder
    const { O_APPEND, O_WRONLY } = fs.constants
    const openOrMake = (): OpenHandle | undefined => {
      try {
        return openFile(folder, names, O_WRONLY | O_APPEND)
      } catch (error) {
        if (!create || errorOf(error).code !== "ENOENT") throw error
      }
      return makeFile(folder, names, permissions)
    }
    const { handle } = yield* openScoped(folder, () => retryMoved(openOrMake))
    if (permissions !== undefined) yield* attempt(() => fs.fchmodSync(handle, permissions))
    return { write: writeAll(fs, handle), commit: flushed(folder, handle) }
  })
