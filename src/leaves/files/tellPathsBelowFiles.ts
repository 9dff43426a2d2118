/** Wraps the file calls of a leaf so that a path below a file is distinguished from a missing one. */
import * as Effect from "effect/Effect"
import { BackendError, type FileBackend, type Names } from "./FileBackend.ts"

/** Wraps the calls that take a path. This costs something only if the path is missing. */
export const tellPathsBelowFiles = (backend: FileBackend): FileBackend => {
  const isBelowFile = (names: Names): Effect.Effect<boolean> =>
    names.length === 0 ? Effect.succeed(false) : Effect.matchEffect(backend.stat(names, true), {
      // The parent is missing too, so the path above it decides.
      onFailure: ({ code }) => code === "ENOENT" ? isBelowFile(names.slice(0, -1)) : Effect.succeed(false),
      onSuccess: ({ type }) => Effect.succeed(type !== "directory"),
    })
  const told = <A, R>(names: Names, call: Effect.Effect<A, BackendError, R>): Effect.Effect<A, BackendError, R> =>
    Effect.catch(call, (error) =>
      error.code !== "ENOENT" ? Effect.fail(error) : Effect.flatMap(
        isBelowFile(names.slice(0, -1)),
        (isBelow) => Effect.fail(isBelow ? new BackendError("ENOTDIR") : error),
      ))
  return {
    ...backend,
    canonical: (names) => told(names, backend.canonical(names)),
    stat: (names, follow) => told(names, backend.stat(names, follow)),
    list: (names, follow, exact) => told(names, backend.list(names, follow, exact)),
    open: (names) => told(names, backend.open(names)),
    create: (names, permissions) => told(names, backend.create(names, permissions)),
    replace: (names, mustExist, permissions) => told(names, backend.replace(names, mustExist, permissions)),
    append: (names, create, permissions) => told(names, backend.append(names, create, permissions)),
    makeDirectory: (names) => told(names, backend.makeDirectory(names)),
    removeFile: (names, exact) => told(names, backend.removeFile(names, exact)),
    removeDirectory: (names, exact) => told(names, backend.removeDirectory(names, exact)),
  }
}
