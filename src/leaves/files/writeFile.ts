/** Writes content to a file, and makes the folders above a new one. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { FileWritten } from "../../files/FileEvent.ts"
import type { FileWrite } from "../../files/FileRequest.ts"
import { BackendError, type FileBackend, type FileWriter, type Names } from "./FileBackend.ts"
import { pathFromRoot } from "./fileFaults.ts"

/**
 * Refuses to make folders for an absolute path of the system: they would repeat the root's own path inside the root.
 */
const checkAbsolute = (backend: FileBackend, path: string): Effect.Effect<void, BackendError> => {
  if (pathFromRoot(backend, path) === undefined || backend.root === undefined) return Effect.void
  return Effect.matchEffect(backend.stat(backend.root.slice(0, 1), true), {
    onSuccess: () => Effect.void,
    onFailure: ({ code }) => Effect.fail(new BackendError(code)),
  })
}

const makeParents = (backend: FileBackend, names: Names): Effect.Effect<void, BackendError> =>
  Effect.gen(function* () {
    const parent = names.slice(0, -1)
    if (parent.length === 0) return
    const there = yield* Effect.result(backend.stat(parent, true))
    if (Result.isSuccess(there)) return
    if (there.failure.code !== "ENOENT") return yield* Effect.fail(there.failure)
    yield* makeParents(backend, parent)
    yield* Effect.catchIf(backend.makeDirectory(parent), ({ code }) => code === "EEXIST", () => Effect.void)
  })

const sourceError = (cause: unknown): BackendError =>
  new BackendError("EIO", `the content to write could not be read: ${String(cause)}`)

const openWriter = (
  backend: FileBackend,
  { createMode, permissions }: FileWrite,
  names: Names,
): Effect.Effect<FileWriter, BackendError, Scope.Scope> => {
  switch (createMode) {
    case "CreateNew":
      return backend.create(names, permissions)
    case "CreateOrReplace":
      return backend.replace(names, false, permissions)
    case "ReplaceExisting":
      return backend.replace(names, true, permissions)
    case "CreateOrAppend":
      return backend.append(names, true, permissions)
    case "AppendExisting":
      return backend.append(names, false, permissions)
  }
}

export const writeFile = (
  backend: FileBackend,
  request: FileWrite,
  names: Names,
  content: Stream.Stream<Uint8Array, unknown>,
): Effect.Effect<FileWritten, BackendError> =>
  Effect.scoped(Effect.gen(function* () {
    const open = openWriter(backend, request, names)
    const file: FileWriter = yield* Effect.catchIf(
      open,
      ({ code }) => code === "ENOENT" && request.createMode.startsWith("Create"),
      () =>
        checkAbsolute(backend, request.path).pipe(Effect.andThen(makeParents(backend, names)), Effect.andThen(open)),
    )
    let bytesWritten = 0
    yield* Stream.runForEach(Stream.mapError(content, sourceError), (bytes) => {
      if (!(bytes instanceof Uint8Array)) return Effect.fail(sourceError("a piece of it is not a Uint8Array"))
      bytesWritten += bytes.length
      return file.write(bytes)
    })
    yield* file.commit
    return { _tag: "FileWritten" as const, correlationId: request.correlationId, path: request.path, bytesWritten }
  }))
