/**
 * Limits the bytes and the files below the root of a leaf: a write beyond the quota fails with `EDQUOT`, and reports the
 * free space.
 *
 * The usage is measured at the first write, updated with the leaf's own changes, and measured again before a write is
 * refused and from time to time, because other processes write, too. A replacement counts only by how much the file
 * grows.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type * as Scope from "effect/Scope"
import { isInUse } from "../../files/temporaryName.ts"
import {
  BackendError,
  type BackendStat,
  type FileBackend,
  type FileWriter,
  isClosed,
  type Names,
  type Room,
} from "./FileBackend.ts"

const recountMillis = 30_000

/** Bytes of all files, and number of files, folders and links, of a leaf; links are not followed. */
export const countUse = (backend: FileBackend): Effect.Effect<Room, BackendError> =>
  Effect.gen(function* () {
    let [bytes, files] = [0, 0]
    const folders: Array<Names> = [[]]
    for (let names = folders.pop(); names !== undefined; names = folders.pop()) {
      for (
        const [name, stat] of yield* Effect.catchIf(backend.list(names, false), isClosed, () => Effect.succeed([]))
      ) {
        // Bytes that are being written are reserved.
        if (isInUse(name)) continue
        files++
        if (stat.type === "directory") folders.push([...names, name])
        else if (stat.type === "file") bytes += stat.size
      }
    }
    return { bytes, files }
  })

export const limitBackend = (backend: FileBackend, limits: Room): FileBackend => {
  let used: Room | undefined
  let countedAt = 0
  const reserved = { bytes: 0, files: 0 }

  /** Bytes added during the count. The count may include them as well, until the next count. */
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

  const reserveNow = (bytes: number, files: number): Effect.Effect<void, BackendError> =>
    Effect.gen(function* () {
      const use = yield* current
      if (!fits(use, bytes, files) && !fits(yield* recount, bytes, files)) {
        return yield* Effect.fail(new BackendError("EDQUOT"))
      }
      reserved.bytes += bytes
      reserved.files += files
    })

  const reserve = (bytes: number, files: number) => one.withPermits(1)(reserveNow(bytes, files))

  /** Reserves room for a change, which then reports the bytes that it added; a failed change may have added some. */
  const reserving = <A, R>(bytes: number, files: number, effect: Effect.Effect<A, BackendError, R>) =>
    Effect.acquireUseRelease(
      reserve(bytes, files),
      () => effect,
      (_, exit) =>
        Effect.sync(() => {
          release(bytes, files)
          if (exit._tag === "Success") settle(bytes, files)
          else used = undefined
        }),
    )

  const settle = (bytes: number, files: number): void => {
    if (used !== undefined) used = { bytes: used.bytes + bytes, files: used.files + files }
    added = { bytes: added.bytes + Math.max(0, bytes), files: added.files + Math.max(0, files) }
  }

  const statIfThere = (names: Names): Effect.Effect<BackendStat | undefined, BackendError> =>
    Effect.catchIf(backend.stat(names, true), ({ code }) => code === "ENOENT", () => Effect.undefined)

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
      const old = before?.size ?? 0
      let [written, bytes, files] = [0, 0, before === undefined ? 1 : 0]
      const writer = yield* open
      yield* Effect.acquireRelease(reserve(0, files), () => Effect.sync(() => release(bytes, files)))
      return {
        write: (part) =>
          Effect.gen(function* () {
            const charge = Math.max(0, written + part.length - old - bytes)
            yield* Effect.uninterruptible(Effect.tap(reserve(charge, 0), () => Effect.sync(() => (bytes += charge))))
            yield* writer.write(part)
            written += part.length
          }),
        // Writes run one after the other, because one may replace a file that another has just written.
        commit: one.withPermits(1)(Effect.uninterruptible(Effect.gen(function* () {
          const there = yield* statIfThere(names)
          const added = { bytes: written - (there?.size ?? 0), files: there === undefined ? 1 : 0 }
          const more = { bytes: Math.max(0, added.bytes - bytes), files: Math.max(0, added.files - files) }
          yield* reserveNow(more.bytes, more.files)
          bytes += more.bytes
          files += more.files
          yield* writer.commit
          release(bytes, files)
          bytes = files = 0
          settle(added.bytes, added.files)
        }))),
      }
    })

  /** A write whose bytes are visible in the file at once. */
  const appending = (
    names: Names,
    open: Effect.Effect<FileWriter, BackendError, Scope.Scope>,
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      const files = (yield* statIfThere(names)) === undefined ? 1 : 0
      const writer = yield* reserving(0, files, open)
      return { ...writer, write: (bytes) => reserving(bytes.length, 0, writer.write(bytes)) }
    })

  const removing = (names: Names, remove: Effect.Effect<void, BackendError>): Effect.Effect<void, BackendError> =>
    one.withPermits(1)(Effect.uninterruptible(Effect.gen(function* () {
      const { size, type } = yield* backend.stat(names, false)
      yield* remove
      settle(type === "file" ? -size : 0, -1)
    })))

  const { removeTree } = backend

  return {
    ...backend,
    ...(removeTree === undefined ? undefined : {
      // Freed space is counted before the next write.
      removeTree: (names) =>
        one.withPermits(1)(Effect.ensuring(removeTree(names), Effect.sync(() => (used = undefined)))),
    }),
    room: one.withPermits(1)(Effect.map(recount, free)),
    create: (names, permissions) => staging(names, backend.create(names, permissions)),
    replace: (names, mustExist, permissions) => staging(names, backend.replace(names, mustExist, permissions)),
    append: (names, create, permissions) => appending(names, backend.append(names, create, permissions)),
    makeDirectory: (names) => reserving(0, 1, backend.makeDirectory(names)),
    removeFile: (names, exact) => removing(names, backend.removeFile(names, exact)),
    removeDirectory: (names, exact) => removing(names, backend.removeDirectory(names, exact)),
  }
}
