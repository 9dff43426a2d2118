/**
 * Deletes a file, a link or a folder with all that is in it, and counts what it deleted.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { BackendError, type FileBackend, type Names } from "./FileBackend.ts"

/** A name that another process removed meanwhile is what was wanted. */
const unlessGone = <A>(effect: Effect.Effect<A, BackendError>, gone: A): Effect.Effect<A, BackendError> =>
  Effect.catchIf(effect, ({ code }) => code === "ENOENT", () => Effect.succeed(gone))

const leftover = "there is still something in it: another process writes there, or it has names that are not Unicode"

/** Deletes what is at a path; a folder that is not empty only with `recursive`. Links are removed, not followed. */
export const deleteTree = (
  backend: FileBackend,
  names: Names,
  recursive: boolean,
): Effect.Effect<number, BackendError> =>
  Effect.gen(function* () {
    const { type } = yield* backend.stat(names, false)
    if (type !== "directory") return yield* Effect.as(backend.removeFile(names), 1)
    let count = 0
    if (recursive) {
      for (const [name] of yield* backend.list(names, false)) {
        count += yield* unlessGone(deleteTree(backend, [...names, name], true), 0)
      }
    }
    yield* Effect.mapError(
      backend.removeDirectory(names),
      (error) => recursive && error.code === "ENOTEMPTY" ? new BackendError("ENOTEMPTY", leftover) : error,
    )
    return count + 1
  })
