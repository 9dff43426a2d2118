/** Deletes a file, a link or a folder with all that is in it, and counts what it deleted. */
import * as Effect from "effect/Effect"
import { BackendError, type FileBackend, type Names } from "./FileBackend.ts"

/** A name that another process removed meanwhile is deleted too. */
const unlessGone = <A>(effect: Effect.Effect<A, BackendError>, gone: A): Effect.Effect<A, BackendError> =>
  Effect.catchIf(effect, ({ code }) => code === "ENOENT", () => Effect.succeed(gone))

/** The folder was replaced by a link or a file. */
const whereSwapped = <A>(effect: Effect.Effect<A, BackendError>, otherwise: Effect.Effect<A, BackendError>) =>
  Effect.catchIf(effect, ({ code }) => code === "ELOOP" || code === "ENOTDIR", () => otherwise)

const leftover = "it is still not empty: another process writes there, or it has names that are not Unicode"

/**
 * Deletes a folder with all that is in it. If another process swaps a folder for a link meanwhile, the link is not
 * followed.
 */
const deleteFolder = (backend: FileBackend, names: Names): Effect.Effect<number, BackendError> =>
  Effect.gen(function* () {
    let count = 0
    for (const [name, { type }] of yield* backend.list(names, false, true)) {
      const below = [...names, name]
      const remove = Effect.as(backend.removeFile(below, true), 1)
      const isFolder = type === "directory"
      count += yield* unlessGone(isFolder ? whereSwapped(deleteFolder(backend, below), remove) : remove, 0)
    }
    yield* Effect.mapError(
      backend.removeDirectory(names, true),
      (error) => error.code === "ENOTEMPTY" ? new BackendError("ENOTEMPTY", leftover) : error,
    )
    return count + 1
  })

/** Deletes the entry at a path; a folder that is not empty only with `recursive`. Links are removed, not followed. */
export const deleteTree = (
  backend: FileBackend,
  names: Names,
  recursive: boolean,
): Effect.Effect<number, BackendError> =>
  Effect.gen(function* () {
    const { type } = yield* backend.stat(names, false)
    if (type !== "directory") return yield* Effect.as(backend.removeFile(names), 1)
    if (!recursive) return yield* Effect.as(backend.removeDirectory(names), 1)
    if (backend.removeTree !== undefined) return yield* backend.removeTree(names)
    return yield* deleteFolder(backend, [...yield* backend.canonical(names.slice(0, -1)), ...names.slice(-1)])
  })
