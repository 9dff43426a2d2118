/** Answers the requests of the FileSystem branch over the file calls of a backend. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { defined } from "../../base/defined.ts"
import type { RequestContent } from "../../branch/ServiceBranch.ts"
import { checkRequest } from "../../files/checkRequest.ts"
import type { FileEvent, FileMetadata } from "../../files/FileEvent.ts"
import type { FileFault } from "../../files/FileFault.ts"
import type { FileRequest } from "../../files/FileRequest.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { watchFiles } from "../../files/watchFiles.ts"
import { deleteTree } from "./deleteTree.ts"
import { BackendError, type FileBackend, type Names } from "./FileBackend.ts"
import { faultOf, namesOf, refuse } from "./fileFaults.ts"
import type { LeafFilesSettings } from "./LeafFilesOptions.ts"
import { limitBackend } from "./limitBackend.ts"
import { listTree } from "./listTree.ts"
import { OwnChanges } from "./OwnChanges.ts"
import { readFile } from "./readFile.ts"
import { writeFile } from "./writeFile.ts"

const statFile = (
  backend: FileBackend,
  { correlationId }: FileRequest,
  names: Names,
): Effect.Effect<FileMetadata, BackendError> =>
  Effect.gen(function* () {
    const stat = yield* backend.stat(names, true)
    const { type } = names.length === 0 ? stat : yield* backend.stat(names, false)
    const { created, modified, permissions, size } = stat
    return {
      _tag: "FileMetadata" as const,
      correlationId,
      size,
      modified,
      ...defined({ created }),
      isDirectory: stat.type === "directory",
      isSymlink: type === "symlink",
      ...defined({ permissions }),
    }
  })

const answer = (
  backend: FileBackend,
  settings: LeafFilesSettings,
  request: FileRequest,
  names: Names,
  { content, maxEventBytes }: RequestContent,
): Stream.Stream<FileEvent, BackendError | FileFault> => {
  const { correlationId, path } = request
  switch (request._tag) {
    case "FileRead":
      return readFile(backend, settings, request, names, maxEventBytes)
    case "FileWrite": {
      if (!settings.allowWrite) {
        return Stream.fail(refuse(request, "AccessDenied", "this leaf does not allow writing"))
      }
      if (names.length === 0) return Stream.fail(new BackendError("EISDIR"))
      if (request.chunked === true && content === undefined) {
        return Stream.fail(refuse(request, "IoError", "it is chunked, and no content came with it"))
      }
      return Stream.fromEffect(writeFile(backend, request, names, content ?? Stream.make(request.content)))
    }
    case "FileList":
      return listTree(backend, request, names)
    case "FileDelete": {
      if (!settings.allowDelete) {
        return Stream.fail(refuse(request, "AccessDenied", "this leaf does not allow deleting"))
      }
      if (names.length === 0) return Stream.fail(refuse(request, "AccessDenied", "the root itself cannot be deleted"))
      return Stream.fromEffect(Effect.map(
        deleteTree(backend, names, request.recursive === true),
        (deletedCount) => ({ _tag: "FileDeleted" as const, correlationId, path, deletedCount }),
      ))
    }
    case "FileStat":
      return Stream.fromEffect(statFile(backend, request, names))
  }
}

export const makeFiles = (unlimited: FileBackend, settings: LeafFilesSettings): FilesService => {
  const backend = settings.quota === undefined ? unlimited : limitBackend(unlimited, settings.quota)
  const changes = new OwnChanges()
  const notifier = backend.notifier ?? changes.notifier
  const files: FilesService = {
    request: (request, options = {}) =>
      Stream.suspend(() => {
        const wrong = checkRequest(request)
        if (wrong !== undefined) return Stream.fail(wrong)
        const names = namesOf(backend, request)
        if (Result.isFailure(names)) return Stream.fail(names.failure)
        const events = Stream.catch(answer(backend, settings, request, names.success, options), (error) =>
          error._tag === "FileFault"
            ? Stream.fail(error)
            : Stream.fromEffect(Effect.flatMap(faultOf(backend, request, error), Effect.fail)))
        if (request._tag !== "FileWrite" && request._tag !== "FileDelete") {
          return events
        }
        // A deletion that failed half way has also changed something.
        return Stream.ensuring(
          events,
          Effect.sync(() =>
            changes.notify(names.success.join("/"))
          ),
        )
      }),
    capabilities: backend.capabilities,
    watch: (path, options) => watchFiles(files, path, options, notifier),
  }
  return files
}
