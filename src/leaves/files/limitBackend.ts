/**
 * Limits the bytes and the files below the root of a leaf: a write beyond the quota fails with `EDQUOT`, and says what is free.
 *
 * What is there is counted at the first write, kept up with what the leaf itself does, and counted again before a write is
 * refused and from time to time, since other processes write also. A replacement counts only with what it adds.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import { isTemporaryName } from "../../files/temporaryName.ts"
import {
  BackendError,
  type BackendStat,
  type FileBackend,
  type FileWriter,
  type Names,
  type Room,
} from "./FileBackend.ts"

/** Time after which the files of other processes are counted again. */
const recountMillis = 30_000

/** Bytes of all files, and number of files, folders and links, below a folder; links are not followed. */
export const countUse = (backend: FileBackend, folder: Names = []): Effect.Effect<Room, BackendError> =>
  Effect.gen(function* () {
    let [bytes, files] = [0, 0]
    const folders: Array<Names> = [folder]
    for (let names = folders.pop(); names !== undefined; names = folders.pop()) {
      // One that is gone by now, or not readable, counts nothing.
      for (const [name, stat] of yield* Effect.orElseSucceed(backend.list(names, false), () => [])) {
        // What is being written is reserved.
        if (isTemporaryName(name)) continue
        files++
        if (stat.type === "directory") folders.push([...names, name])
        else if (stat.type === "file") bytes += stat.size
      }
    }
    return { bytes, files }
  })

/** Limits a backend. */
export const limitBackend = (backend: FileBackend, limits: Room): FileBackend => {
  let used: Room | undefined
  let countedAt = 0
  /** What writes that are not done yet will add. */
  const reserved = { bytes: 0, files: 0 }

  /** What was added while it was counted; it may be in the count, too, until the next one. */
  let added = { bytes: 0, files: 0 }
  const one = Semaphore.makeUnsafe(1)

  const recount = Effect.gen(function* () {
    countedAt = yield* Clock.currentTimeMillis
    added = { bytes: 0, files: 0 }
    const { bytes, files } = yield* countUse(backend)
    return (used = { bytes: bytes + added.bytes, files: files + added.files })
  })

  const current = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return used === undefined || now - countedAt > recountMillis ? yield* recount : used
  })

  const free = (use: Room): Room => ({
    bytes: Math.max(0, limits.bytes - use.bytes - reserved.bytes),
    files: Math.max(0, limits.files - use.files - reserved.files),
  })

  const fits = (use: Room, bytes: number, files: number): boolean =>
    (bytes <= 0 || bytes <= free(use).bytes) && (files <= 0 || files <= free(use).files)

  /** Reserves room, or fails. */
  const reserve = (bytes: number, files: number): Effect.Effect<void, BackendError> =>
    one.withPermits(1)(Effect.gen(function* () {
      const use = yield* current
      if (!fits(use, bytes, files) && !fits(yield* recount, bytes, files)) {
        return yield* Effect.fail(new BackendError("EDQUOT"))
      }
      reserved.bytes += bytes
      reserved.files += files
    }))

  const settle = (bytes: number, files: number): void => {
    if (used !== undefined) used = { bytes: used.bytes + bytes, files: used.files + files }
    added = { bytes: added.bytes + Math.max(0, bytes), files: added.files + Math.max(0, files) }
  }

  const statIfThere = (names: Names): Effect.Effect<BackendStat | undefined, BackendError> =>
    Effect.catchIf(backend.stat(names, true), ({ code }) => code === "ENOENT", () => Effect.succeed(undefined))

  const release = (bytes: number, files: number): void => {
    reserved.bytes -= bytes
    reserved.files -= files
  }

  /** A write that becomes visible when it is whole. */
  const staging = (
    names: Names,
    open: Effect.Effect<FileWriter, BackendError, Scope.Scope>,
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      const before = yield* statIfThere(names)
      const files = before === undefined ? 1 : 0
      const old = before?.size ?? 0
      let [written, charged, isHeld] = [0, 0, true]
      const giveBack = (): void => {
        if (isHeld) release(charged, files)
        isHeld = false
      }
      const writer = yield* open
      yield* Effect.acquireRelease(reserve(0, files), () => Effect.sync(giveBack))
      return {
        write: (bytes) =>
          Effect.gen(function* () {
            const charge = Math.max(0, written + bytes.length - old) - charged
            yield* Effect.uninterruptible(Effect.tap(reserve(charge, 0), () => Effect.sync(() => (charged += charge))))
            yield* writer.write(bytes)
            written += bytes.length
          }),
        commit: Effect.tap(writer.commit, () =>
          Effect.sync(() => {
            giveBack()
            settle(written - old, files)
          })),
      }
    })

  /** A write whose bytes are in the file at once. */
  const appending = (
    names: Names,
    open: Effect.Effect<FileWriter, BackendError, Scope.Scope>,
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      const files = (yield* statIfThere(names)) === undefined ? 1 : 0
      const reserving = <A, R>(bytes: number, count: number, effect: Effect.Effect<A, BackendError, R>) =>
        Effect.acquireUseRelease(
          reserve(bytes, count),
          () => Effect.tap(effect, () => Effect.sync(() => settle(bytes, count))),
          () => Effect.sync(() => release(bytes, count)),
        )
      const writer = yield* reserving(0, files, open)
      return { ...writer, write: (bytes) => reserving(bytes.length, 0, writer.write(bytes)) }
    })

  const removing = (names: Names, remove: Effect.Effect<void, BackendError>): Effect.Effect<void, BackendError> =>
    Effect.gen(function* () {
      const { size, type } = yield* backend.stat(names, false)
      yield* remove
      settle(type === "file" ? -size : 0, -1)
    })

  return {
    ...backend,
    room: one.withPermits(1)(Effect.map(recount, free)),
    create: (names, permissions) => staging(names, backend.create(names, permissions)),
    replace: (names, mustExist, permissions) => staging(names, backend.replace(names, mustExist, permissions)),
    append: (names, create, permissions) => appending(names, backend.append(names, create, permissions)),
    makeDirectory: (names) =>
      Effect.acquireUseRelease(
        reserve(0, 1),
        () => Effect.tap(backend.makeDirectory(names), () => Effect.sync(() => settle(0, 1))),
        () => Effect.sync(() => release(0, 1)),
      ),
    removeFile: (names) => removing(names, backend.removeFile(names)),
    removeDirectory: (names) => removing(names, backend.removeDirectory(names)),
  }
}
