/**
 * Makes the file calls of a leaf from a folder of this machine, with `node:fs` on Deno, Bun and Node.
 *
 * Not over Effect's `FileSystem`: it has no call that starts at an open folder, and a path that was checked may lead
 * elsewhere when it is used. Calls on names, and on a few bytes, are synchronous, as they take microseconds; more bytes are
 * read, written and flushed by the runtime's threads.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { callbackLater } from "../../base/waits.ts"
import type * as NodeFs from "node:fs"
import { BackendError, type BackendStat, type FileBackend, type FileWriter, type Names } from "./FileBackend.ts"
import { isInside, type PathRules } from "./PathRules.ts"
import { type Held, type Holder, retryMoved } from "./holdPath.ts"
import { hostNotifier } from "./hostNotifier.ts"
import { systemErrorCode } from "./systemErrorCode.ts"
import { temporaryName } from "../../files/temporaryName.ts"

export interface HostFolderSettings {
  readonly root: string
  readonly rules: PathRules
  readonly holder: Holder
  readonly followSymlinks: boolean
  readonly preservePermissions: boolean
  readonly flush: boolean
  /** Why what is at a canonical path may not be made, changed and removed; `undefined` where it may. Default: it may. */
  readonly whyClosed?: ((path: string) => string | undefined) | undefined
}

interface OpenHandle {
  readonly handle: number
  readonly size: number
}

/** Bytes whose reading or writing takes no longer than a call on a name: less than to wake another thread. */
const maxSyncBytes = 16_384

/** Entries of a folder that are looked at before others have their turn. */
const entriesPerTurn = 256

const errorOf = (error: unknown): BackendError => {
  if (error instanceof BackendError) return error
  const code = systemErrorCode(error)
  return new BackendError(code ?? "EIO", code === undefined ? String(error) : undefined)
}

const attempt = <A>(call: () => A): Effect.Effect<A, BackendError> => Effect.try({ try: call, catch: errorOf })

/** Calls a function of `node:fs` with a callback. It is not interrupted: the file may be closed only afterwards. */
const waitFor = <A>(call: (done: (error: unknown, value: A) => void) => void): Effect.Effect<A, BackendError> =>
  Effect.uninterruptible(callbackLater<A, BackendError>((resume) => {
    call((error, value) =>
      resume(error === null || error === undefined ? Effect.succeed(value) : Effect.fail(errorOf(error)))
    )
  }))

/** Bytes without zeros in them, where the runtime has such (Deno has none): all that are handed out are read from a file. */
const allocate = (length: number): Uint8Array => {
  if (typeof Buffer === "undefined" || "Deno" in globalThis) return new Uint8Array(length)
  const { buffer, byteOffset } = Buffer.allocUnsafeSlow(length)
  return new Uint8Array(buffer, byteOffset, length)
}

const movedFolder = "its folder was moved or removed during the write; write it again"

/** The permission bits of a new file until its own are set: no other user opens it before. */
const newMode = (permissions: number | undefined): number => permissions === undefined ? 0o666 : 0o600

const toStat = (stats: NodeFs.Stats): BackendStat => ({
  type: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "symlink" : "other",
  size: stats.size,
  modified: Math.floor(stats.mtimeMs),
  created: stats.birthtimeMs > 0 ? Math.floor(stats.birthtimeMs) : undefined,
  permissions: stats.mode & 0o7777,
})

export const hostBackend = (fs: typeof NodeFs, settings: HostFolderSettings): FileBackend => {
  const { flush, followSymlinks, holder, preservePermissions, root, rules, whyClosed } = settings
  const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants
  // Missing on Windows: 0 means no flag.
  const noFollow = fs.constants.O_NOFOLLOW ?? 0
  const noWait = fs.constants.O_NONBLOCK ?? 0

  /** Holds what is at an absolute path, if that is below the root; `exact`: and if no link leads there. */
  const holdInside = (path: string, follow = true, exact = !followSymlinks): Held => {
    const held = holder.hold(path, follow)
    const wrong = !isInside(rules, root, held.where)
      ? "ENOTCAPABLE"
      : !exact || rules.isSame(held.where, path)
      ? undefined
      : "ELOOP"
    if (wrong === undefined) return held
    held.release()
    throw new BackendError(wrong)
  }

  const hold = (names: Names, follow?: boolean, exact?: boolean): Held =>
    holdInside(rules.join(root, names), follow, exact)

  const requireChange = (path: string): void => {
    const why = whyClosed?.(path)
    if (why !== undefined) throw new BackendError("EACCES", why)
  }

  /** Calls `use` with a path to the last name in its folder, which is held meanwhile. */
  const inFolder = <A>(names: Names, use: (path: string, folder: Held) => A, exact?: boolean): A => {
    const name = names.at(-1)
    if (name === undefined) throw new BackendError("EBUSY")
    const folder = hold(names.slice(0, -1), true, exact)
    try {
      return use(rules.join(folder.through, [name]), folder)
    } finally {
      folder.release()
    }
  }

  const changeInFolder = <A>(names: Names, use: (path: string, folder: Held) => A, exact?: boolean): A =>
    inFolder(names, (path, folder) => {
      requireChange(rules.join(folder.where, names.slice(-1)))
      return use(path, folder)
    }, exact)

  const holdScoped = (acquire: () => Held): Effect.Effect<Held, BackendError, Scope.Scope> =>
    Effect.acquireRelease(attempt(acquire), (held) => Effect.sync(held.release))

  const closeScoped = (open: () => OpenHandle): Effect.Effect<OpenHandle, BackendError, Scope.Scope> =>
    Effect.acquireRelease(attempt(open), ({ handle }) => close(handle))

  const close = (handle: number): Effect.Effect<void> => Effect.ignore(attempt(() => fs.closeSync(handle)))

  /**
   * Calls that change a folder wait for the file system's journal: a thread makes them, where the folder is held. Where paths
   * are compared, nothing may come between that and the call.
   */
  const onName = <A>(
    call: (done: (error: unknown, value: A) => void) => void,
    callNow: () => A,
  ): Effect.Effect<A, BackendError> => holder.containment === "handles" ? waitFor(call) : attempt(callNow)

  const newFile = O_WRONLY | O_CREAT | O_EXCL | noFollow

  const create = (path: string, mode = 0o666): Effect.Effect<number, BackendError> =>
    onName<number>((done) => fs.open(path, newFile, mode, done), () => fs.openSync(path, newFile, mode))

  const rename = (from: string, to: string): Effect.Effect<void, BackendError> =>
    onName<void>((done) => fs.rename(from, to, done), () => fs.renameSync(from, to))

  /** Opens a regular file, and makes sure that it is the one which was held; again, where others replace it meanwhile. */
  const openFile = (names: Names, flags: number): OpenHandle =>
    retryMoved(() => {
      const held = hold(names)
      try {
        const there = held.stats()
        if (!there.isFile()) throw new BackendError(there.isDirectory() ? "EISDIR" : "ENXIO")
        if (flags !== O_RDONLY) requireChange(held.where)
        const handle = fs.openSync(held.through, flags | noWait)
        const { dev, ino, size } = fs.fstatSync(handle)
        if (dev === there.dev && ino === there.ino && held.isThere()) return { handle, size }
        fs.closeSync(handle)
        return undefined
      } finally {
        held.release()
      }
    })

  const writeAll = (handle: number) => (bytes: Uint8Array): Effect.Effect<void, BackendError> =>
    Effect.gen(function* () {
      for (let at = 0; at < bytes.length;) {
        const length = bytes.length - at
        at += length <= maxSyncBytes
          ? yield* attempt(() => fs.writeSync(handle, bytes, at, length, null))
          : yield* waitFor<number>((done) => fs.write(handle, bytes, at, length, null, done))
      }
    })

  const flushed = (handle: number): Effect.Effect<void, BackendError> =>
    flush ? waitFor<void>((done) => fs.fsync(handle, done)) : Effect.void

  const isLocked = ({ code }: BackendError): boolean => code === "EBUSY" || code === "EPERM" || code === "EACCES"
  const locked = "another program may have it open, or its permissions forbid it; close it there, and try again"

  /** On Windows another program may have a file open for a moment; after 0.6 s the fault is `AccessDenied`. */
  const whileLocked = <A, R>(effect: Effect.Effect<A, BackendError, R>): Effect.Effect<A, BackendError, R> =>
    rules.locksOpenFiles
      ? Effect.retry(effect, { while: isLocked, schedule: Schedule.exponential("10 millis"), times: 6 }).pipe(
        Effect.mapError((error) =>
          isLocked(error) && error.detail === undefined ? new BackendError(error.code, locked) : error
        ),
      )
      : effect

  /** Writes a file beside its place, and moves it there with `move`, which says whether the temporary name is still there. */
  const staged = (
    folder: Held,
    name: string,
    before: NodeFs.Stats | undefined,
    permissions: number | undefined,
    move: (temporary: string, path: string) => Effect.Effect<boolean, BackendError>,
  ): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
    Effect.gen(function* () {
      yield* attempt(() => requireChange(rules.join(folder.where, [name])))
      const path = rules.join(folder.through, [name])
      const temporary = rules.join(folder.through, [yield* temporaryName])
      let isStaged = true
      // By path it may be in a folder that others swap: no other file has this name, wherever it is.
      const tries = holder.containment === "handles" ? 1 : 50
      const remove = Effect.retry(attempt(() => fs.unlinkSync(temporary)), { times: tries - 1 })
      yield* Effect.addFinalizer(() => isStaged ? Effect.ignore(remove) : Effect.void)
      const mode = permissions ?? (before && before.mode & (preservePermissions ? 0o7777 : 0o777))
      const handle = yield* Effect.acquireRelease(create(temporary, newMode(mode)), close)
      yield* attempt(() => {
        if (!folder.has(temporary, fs.fstatSync(handle))) throw new BackendError("ENOTCAPABLE", movedFolder)
        if (preservePermissions && before !== undefined) fs.fchownSync(handle, before.uid, before.gid)
        if (mode !== undefined) fs.fchmodSync(handle, mode)
      })
      const commit = Effect.uninterruptible(Effect.suspend(() =>
        folder.isThere()
          ? Effect.map(move(temporary, path), (isStill) => void (isStaged = isStill))
          : Effect.fail(new BackendError("ENOTCAPABLE", movedFolder))
      ))
      return {
        write: writeAll(handle),
        commit: Effect.andThen(flushed(handle), whileLocked(commit)),
      }
    })

  const statIfThere = (path: string): NodeFs.Stats | undefined => fs.lstatSync(path, { throwIfNoEntry: false })

  /** The target of a link; `undefined` where the link is gone, or its target is not Unicode. */
  const targetOf = (path: string): string | undefined => {
    try {
      return fs.readlinkSync(path)
    } catch {
      return undefined
    }
  }

  const isLink = (path: string): boolean => statIfThere(path)?.isSymbolicLink() === true

  /** Gives a file a second name; where there are no hard links, moves it to a place that was taken before. */
  const linkNew = (temporary: string, path: string): Effect.Effect<boolean, BackendError> =>
    Effect.catchIf(
      Effect.as(onName<void>((done) => fs.link(temporary, path, done), () => fs.linkSync(temporary, path)), true),
      ({ code }: BackendError) => ["ENOTSUP", "EPERM", "ENOSYS", "EMLINK"].includes(code),
      () => create(path).pipe(Effect.flatMap(close), Effect.andThen(rename(temporary, path)), Effect.as(false)),
    )

  /** Where a replacement goes: beside what is at the path, links followed. */
  const placeOf = (
    names: Names,
    mustExist: boolean,
  ): { folder: Held; name: string; before?: NodeFs.Stats } | undefined => {
    try {
      const target = hold(names)
      try {
        const before = target.stats()
        if (!before.isFile()) throw new BackendError(before.isDirectory() ? "EISDIR" : "ENXIO")
        const [parent, name] = rules.split(target.where)
        const folder = holdInside(parent)
        if (rules.isSame(folder.where, parent)) return { folder, name, before }
        folder.release()
        throw new BackendError("ENOTCAPABLE")
      } finally {
        target.release()
      }
    } catch (error) {
      if (mustExist || errorOf(error).code !== "ENOENT") throw error
    }
    const folder = hold(names.slice(0, -1))
    const name = names.at(-1) ?? ""
    const path = rules.join(folder.through, [name])
    const there = statIfThere(path)
    if (there === undefined) return { folder, name }
    folder.release()
    if (there.isSymbolicLink()) throw new BackendError("ENOENT", "it is a dangling link")
    // Another process made it at the same moment.
    return undefined
  }

  return {
    notifier: hostNotifier(fs, root, rules),
    root: root.startsWith("/") ? root.split("/").filter((name) => name !== "") : undefined,
    capabilities: { leaf: "local", containment: holder.containment, caseSensitive: rules.caseSensitive },
    room: attempt(() => {
      const { bavail, bsize, ffree } = fs.statfsSync(root)
      return { bytes: bavail * bsize, files: ffree }
    }),
    checkName: rules.checkName,
    canonical: (names) =>
      attempt(() => {
        const { release, where } = hold(names)
        release()
        return where.slice(root.length).split(rules.separator).filter((name) => name !== "")
      }),
    stat: (names, follow) =>
      attempt(() => {
        if (!follow && names.length > 0) return toStat(inFolder(names, (path) => fs.lstatSync(path)))
        return retryMoved(() => {
          const held = hold(names)
          try {
            const stats = held.stats()
            return holder.containment === "handles" || held.isThere() ? toStat(stats) : undefined
          } finally {
            held.release()
          }
        })
      }),
    list: (names, follow, exact) =>
      Effect.scoped(Effect.gen(function* () {
        const folder = yield* holdScoped(() => hold(names, follow, exact))
        const all = yield* waitFor<ReadonlyArray<string>>((done) => fs.readdir(folder.through, done))
        const found: Array<readonly [string, BackendStat]> = []
        // Names that are not Unicode look like others.
        const unique = [...new Set(all)]
        for (let from = 0; from < unique.length; from += entriesPerTurn) {
          if (from > 0) yield* Effect.yieldNow
          // A folder that may be read and not entered fails here.
          yield* attempt(() => {
            for (const name of unique.slice(from, from + entriesPerTurn)) {
              const path = rules.join(folder.through, [name])
              const stats = statIfThere(path)
              if (stats === undefined) continue
              found.push([name, stats.isSymbolicLink() ? { ...toStat(stats), target: targetOf(path) } : toStat(stats)])
            }
          })
        }
        return found
      })),
    open: (names) =>
      Effect.gen(function* () {
        const { handle, size } = yield* whileLocked(closeScoped(() => openFile(names, O_RDONLY)))
        return {
          size,
          read: (offset, length) => {
            const bytes = allocate(length)
            const read = length <= maxSyncBytes
              ? attempt(() => fs.readSync(handle, bytes, 0, length, offset))
              : waitFor<number>((done) => fs.read(handle, bytes, 0, length, offset, done))
            return Effect.map(read, (count) => bytes.subarray(0, count))
          },
        }
      }),
    create: (names, permissions) =>
      Effect.gen(function* () {
        const folder = yield* holdScoped(() => hold(names.slice(0, -1)))
        const name = names.at(-1) ?? ""
        const before = yield* attempt(() => statIfThere(rules.join(folder.through, [name])))
        if (before !== undefined) return yield* Effect.fail(new BackendError("EEXIST"))
        return yield* staged(folder, name, undefined, permissions, linkNew)
      }),
    replace: (names, mustExist, permissions) =>
      Effect.gen(function* () {
        const { before, folder, name } = yield* Effect.acquireRelease(
          attempt(() => retryMoved(() => placeOf(names, mustExist))),
          ({ folder }) => Effect.sync(folder.release),
        )
        return yield* staged(folder, name, before, permissions, (temporary, path) => {
          const isGone = mustExist && statIfThere(path) === undefined
          return isGone ? Effect.fail(new BackendError("ENOENT")) : Effect.as(rename(temporary, path), false)
        })
      }),
    append: (names, create, permissions) =>
      Effect.gen(function* () {
        const openOrMake = (): OpenHandle | undefined => {
          try {
            return openFile(names, O_WRONLY | O_APPEND)
          } catch (error) {
            if (!create || errorOf(error).code !== "ENOENT") throw error
          }
          return changeInFolder(names, (path, folder) => {
            try {
              const handle = fs.openSync(path, newFile | O_APPEND, newMode(permissions))
              if (folder.has(path, fs.fstatSync(handle))) return { handle, size: 0 }
              fs.closeSync(handle)
              throw new BackendError("ENOTCAPABLE", movedFolder)
            } catch (error) {
              // Another process made it at the same moment.
              if (errorOf(error).code === "EEXIST" && !isLink(path)) return undefined
              throw error
            }
          })
        }
        const { handle } = yield* whileLocked(closeScoped(() => retryMoved(openOrMake)))
        if (permissions !== undefined) yield* attempt(() => fs.fchmodSync(handle, permissions))
        return { write: writeAll(handle), commit: flushed(handle) }
      }),
    makeDirectory: (names) => attempt(() => changeInFolder(names, (path) => void fs.mkdirSync(path))),
    removeFile: (names, exact) =>
      whileLocked(attempt(() => changeInFolder(names, (path) => fs.unlinkSync(path), exact))),
    removeDirectory: (names, exact) =>
      whileLocked(attempt(() => changeInFolder(names, (path) => fs.rmdirSync(path), exact))),
  }
}
