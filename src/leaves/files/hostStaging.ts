/** Writes a temporary file next to the target, and moves it there in one step. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type * as NodeFs from "node:fs"
import { temporaryName } from "../../files/temporaryName.ts"
import { BackendError, type FileWriter, type Names } from "./FileBackend.ts"
import { type Held, retryMoved } from "./holdPath.ts"
import { attempt, errorOf, waitFor } from "./hostCalls.ts"
import type { HostFolder } from "./HostFolder.ts"
import { close, flushed, movedFolder, newFileFlags, newMode, writeAll } from "./hostHandles.ts"

/** Moves a staged file to its place; returns whether the temporary name is still there. */
type Move = (temporary: string, path: string) => Effect.Effect<boolean, BackendError>

/** A name in a held folder, and the file with this name. */
interface Place {
  readonly folder: Held
  readonly name: string
  readonly before?: NodeFs.Stats
}

/**
 * Calls that change a folder wait for the file system's journal, so another thread makes them if the folder is held.
 * Where paths are compared instead, nothing may happen between the comparison and the call.
 */
const onName = <A>(
  { hasHandles }: HostFolder,
  call: (done: (error: unknown, value: A) => void) => void,
  callNow: () => A,
): Effect.Effect<A, BackendError> => hasHandles ? waitFor(call) : attempt(callNow)

const create = (host: HostFolder, path: string, mode = 0o666): Effect.Effect<number, BackendError> => {
  const { fs } = host
  const flags = newFileFlags(fs.constants)
  return onName<number>(host, (done) => fs.open(path, flags, mode, done), () => fs.openSync(path, flags, mode))
}

const rename = (host: HostFolder, from: string, to: string): Effect.Effect<void, BackendError> =>
  onName<void>(host, (done) => host.fs.rename(from, to, done), () => host.fs.renameSync(from, to))

/** Gives a file a second name; without hard links, moves it to a name that was reserved before. */
const linkNew = (host: HostFolder): Move => (temporary, path) => {
  const { fs } = host
  return Effect.catchIf(
    Effect.as(onName<void>(host, (done) => fs.link(temporary, path, done), () => fs.linkSync(temporary, path)), true),
    ({ code }: BackendError) => ["ENOTSUP", "EPERM", "ENOSYS", "EMLINK"].includes(code),
    () =>
      create(host, path).pipe(
        Effect.flatMap((handle) => close(fs, handle)),
        Effect.andThen(rename(host, temporary, path)),
        Effect.as(false),
      ),
  )
}

/** The file that a path names, links followed. */
const existingPlace = (host: HostFolder, names: Names): Place => {
  const target = host.hold(names)
  try {
    const before = target.stats()
    if (!before.isFile()) throw new BackendError(before.isDirectory() ? "EISDIR" : "ENXIO")
    const [parent, name] = host.rules.split(target.where)
    const folder = host.holdInside(parent)
    if (host.rules.isSame(folder.where, parent)) return { folder, name, before }
    folder.release()
    throw new BackendError("ENOTCAPABLE")
  } finally {
    target.release()
  }
}

/** Path of a replacement: beside the file, links followed. */
const placeOf = (host: HostFolder, names: Names, mustExist: boolean): Place | undefined => {
  try {
    return existingPlace(host, names)
  } catch (error) {
    if (mustExist || errorOf(error).code !== "ENOENT") throw error
  }
  const folder = host.hold(names.slice(0, -1))
  const name = names.at(-1) ?? ""
  const there = host.statIfThere(host.rules.join(folder.through, [name]))
  if (there === undefined) return { folder, name }
  folder.release()
  if (there.isSymbolicLink()) throw new BackendError("ENOENT", "it is a dangling link")
  // Another process made the file at the same moment.
  return undefined
}

const staged = (
  host: HostFolder,
  { before, folder, name }: Place,
  permissions: number | undefined,
  move: Move,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const { fs, rules, settings: { preservePermissions } } = host
    yield* attempt(() => host.requireChange(rules.join(folder.where, [name])))
    const path = rules.join(folder.through, [name])
    const temporary = rules.join(folder.through, [yield* temporaryName])
    let isStaged = true
    // Another process may swap the folder of this path, but no other file anywhere has this name.
    const remove = Effect.retry(attempt(() => fs.unlinkSync(temporary)), { times: host.hasHandles ? 0 : 49 })
    yield* Effect.addFinalizer(() => isStaged ? Effect.ignore(remove) : Effect.void)
    const mode = permissions ?? (before && before.mode & (preservePermissions ? 0o7777 : 0o777))
    const handle = yield* Effect.acquireRelease(create(host, temporary, newMode(mode)), (handle) => close(fs, handle))
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
      write: writeAll(fs, handle),
      commit: Effect.andThen(flushed(host, handle), host.whileLocked(commit)),
    }
  })

/** Writes a new file. */
export const stageNew = (
  host: HostFolder,
  names: Names,
  permissions: number | undefined,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* host.holdScoped(() => host.hold(names.slice(0, -1)))
    const name = names.at(-1) ?? ""
    const before = yield* attempt(() => host.statIfThere(host.rules.join(folder.through, [name])))
    if (before !== undefined) return yield* Effect.fail(new BackendError("EEXIST"))
    return yield* staged(host, { folder, name }, permissions, linkNew(host))
  })

/** Replaces the entry at a path. */
export const stageOver = (
  host: HostFolder,
  names: Names,
  mustExist: boolean,
  permissions: number | undefined,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> =>
  Effect.gen(function* () {
    const place = yield* Effect.acquireRelease(
      attempt(() => retryMoved(() => placeOf(host, names, mustExist))),
      ({ folder }) => Effect.sync(folder.release),
    )
    return yield* staged(host, place, permissions, (temporary, path) => {
      const isGone = mustExist && host.statIfThere(path) === undefined
      return isGone ? Effect.fail(new BackendError("ENOENT")) : Effect.as(rename(host, temporary, path), false)
    })
  })
