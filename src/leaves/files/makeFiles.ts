/** Answers the requests of the FileSystem branch over the file calls of a backend. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { quote } from "../../base/quote.ts"
import { emptyBytes } from "../../base/bytes.ts"
import type { RequestContent } from "../../branch/ServiceBranch.ts"
import type { FileEvent, FileWritten } from "../../files/FileEvent.ts"
import { checkRequest } from "../../files/checkRequest.ts"
import { faultKindOf, FileFault } from "../../files/FileFault.ts"
import { parsePath } from "../../files/FilePath.ts"
import { describeRequest, type FileRead, type FileRequest, type FileWrite } from "../../files/FileRequest.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { isTemporaryName } from "../../files/temporaryName.ts"
import { BackendError, type FileBackend, type FileWriter, type Names, type OpenedFile } from "./FileBackend.ts"
import type { LeafFilesSettings } from "./LeafFilesOptions.ts"
import { watchFiles } from "../../files/watchFiles.ts"
import { OwnChanges } from "./OwnChanges.ts"
import { deleteTree } from "./deleteTree.ts"
import { limitBackend } from "./limitBackend.ts"
import { listTree } from "./listTree.ts"

/** Problems and advice by error code; other codes stand for themselves. */
const advice: Readonly<Record<string, string>> = {
  EEXIST: "the file already exists; use another createMode to replace it or to append",
  EACCES: "the system does not permit it",
  EPERM: "the system does not permit it",
  EROFS: "the file system is read-only",
  EBUSY: "it is in use",
  ELOOP: "it is a link that is not followed",
  ENOTCAPABLE: "it leads outside the root; use a path below it",
  EINVAL: "the system does not accept this name",
  EILSEQ: "its name is not Unicode",
  ENOTEMPTY: "the folder is not empty; pass recursive to delete all that is in it",
  ENOTDIR: "a name in the path is a file, not a folder",
  EISDIR: "it is a folder, not a file",
  ENXIO: "it is a pipe, a socket or a device, not a file",
  ENOSPC: "there is no space left",
  EDQUOT: "it exceeds the quota",
  EFBIG: "the file would be larger than allowed",
  EXDEV: "it is on another file system",
  ENAMETOOLONG: "the path is too long for the system",
  EMFILE: "this process has too many files open; close some, or raise its limit (ulimit -n)",
  ENFILE: "the system has too many files open",
}

export const makeFiles = (unlimited: FileBackend, settings: LeafFilesSettings): FilesService => {
  const backend = settings.quota === undefined ? unlimited : limitBackend(unlimited, settings.quota)

  const fault = (request: FileRequest, { code, detail }: BackendError): Effect.Effect<FileFault> =>
    Effect.map(roomLeft(backend, code), (room) =>
      new FileFault({
        correlationId: request.correlationId,
        faultKind: faultKindOf(code),
        path: request.path,
        message: `${describeRequest(request)}: ${
          detail ?? (code === "ENOENT" ? absenceOf(backend, request.path) : advice[code]) ?? "the system failed"
        }${room} (${code})`,
        code,
      }))

  const refuse = (request: FileRequest, faultKind: FileFault["faultKind"], what: string): FileFault =>
    new FileFault({
      correlationId: request.correlationId,
      faultKind,
      path: request.path,
      message: `${describeRequest(request)}: ${what}`,
    })

  const namesOf = (request: FileRequest): Result.Result<Names, FileFault> => {
    const names = parsePath(request.path)
    if (Result.isFailure(names)) {
      const { faultKind, what } = names.failure
      return Result.fail(refuse(request, faultKind, `the path cannot be used: ${what}`))
    }
    const checkName = (name: string) =>
      request._tag === "FileWrite" && isTemporaryName(name)
        ? `${quote(name)} is a name of temporary files; use another`
        : backend.checkName(name)
    const wrong = names.success.map(checkName).find((what) => what !== undefined)
    return wrong === undefined
      ? Result.succeed(names.success)
      : Result.fail(refuse(request, "InvalidPath", `the path cannot be used: ${wrong}`))
  }

  const read = (request: FileRead, names: Names, maxEventBytes = 0): Stream.Stream<FileEvent, BackendError> =>
    Stream.unwrap(Effect.gen(function* () {
      const { correlationId } = request
      const { length = Infinity, offset = 0 } = request
      const file = yield* backend.open(names, { offset, length })
      // Files of /proc do not say how large they are.
      if (file.size === 0 && (yield* file.read(offset, 1)).length > 0) {
        return chunks(request, file, offset, offset + length)
      }
      const from = Math.min(offset, file.size)
      const to = Math.min(from + length, file.size)
      if (to - from > Math.max(settings.streamingThreshold, maxEventBytes)) return chunks(request, file, from, to)
      const content = yield* readFully(file, from, to)
      const isPartial = content.length < file.size
      return Stream.make({ _tag: "FileContent" as const, correlationId, content, totalSize: file.size, isPartial })
    }))

  const chunks = (
    { correlationId }: FileRead,
    file: OpenedFile,
    from: number,
    to: number,
  ): Stream.Stream<FileEvent, BackendError> =>
    Stream.paginate(
      from,
      (offset) =>
        Effect.map(file.read(offset, Math.min(settings.chunkSize, to - offset)), (data) => {
          const next = offset + data.length
          // A file that shrank meanwhile ends early.
          const isFinal = next >= to || data.length === 0
          const chunk: FileEvent = { _tag: "FileContentChunk", correlationId, offset, data, isFinal }
          return [[chunk], isFinal ? Option.none() : Option.some(next)] as const
        }),
    )

  const writer = (request: FileWrite, names: Names) => {
    const { createMode, permissions } = request
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

  const write = (
    request: FileWrite,
    names: Names,
    content: Stream.Stream<Uint8Array, unknown>,
  ): Effect.Effect<FileWritten, BackendError> =>
    Effect.scoped(Effect.gen(function* () {
      const open = writer(request, names)
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

  const answer = (
    request: FileRequest,
    names: Names,
    { content, maxEventBytes }: RequestContent,
  ): Stream.Stream<FileEvent, BackendError | FileFault> => {
    const { correlationId, path } = request
    switch (request._tag) {
      case "FileRead":
        return read(request, names, maxEventBytes)
      case "FileWrite": {
        if (!settings.allowWrite) {
          return Stream.fail(refuse(request, "AccessDenied", "this leaf does not allow writing"))
        }
        if (names.length === 0) return Stream.fail(new BackendError("EISDIR"))
        if (request.chunked === true && content === undefined) {
          return Stream.fail(refuse(request, "IoError", "it is chunked, and no content came with it"))
        }
        return Stream.fromEffect(write(request, names, content ?? Stream.make(request.content)))
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
        return Stream.fromEffect(Effect.gen(function* () {
          const stat = yield* backend.stat(names, true)
          const { type } = names.length === 0 ? stat : yield* backend.stat(names, false)
          const { created, modified, permissions, size } = stat
          return {
            _tag: "FileMetadata" as const,
            correlationId,
            size,
            modified,
            ...(created === undefined ? undefined : { created }),
            isDirectory: stat.type === "directory",
            isSymlink: type === "symlink",
            ...(permissions === undefined ? undefined : { permissions }),
          }
        }))
    }
  }

  const changes = new OwnChanges()
  const notifier = backend.notifier ?? changes.notifier
  const files: FilesService = {
    request: (request, options = {}) =>
      Stream.suspend(() => {
        const wrong = checkRequest(request)
        if (wrong !== undefined) return Stream.fail(wrong)
        const names = namesOf(request)
        if (Result.isFailure(names)) return Stream.fail(names.failure)
        const events = Stream.catch(answer(request, names.success, options), (error) =>
          error._tag === "FileFault"
            ? Stream.fail(error)
            : Stream.fromEffect(Effect.flatMap(fault(request, error), Effect.fail)))
        if (request._tag !== "FileWrite" && request._tag !== "FileDelete") {
          return events
        }
        // A deletion that failed half way has changed something also.
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

/** The path from the root that an absolute path of the system means: `a.ts` for `/srv/app/a.ts` in the root `/srv/app`. */
const pathFromRoot = ({ root = [] }: FileBackend, path: string): string | undefined => {
  const prefix = `/${root.join("/")}/`
  return root.length > 0 && path.startsWith(prefix) ? path.slice(prefix.length) : undefined
}

const absenceOf = (backend: FileBackend, path: string): string => {
  const meant = pathFromRoot(backend, path)
  if (meant !== undefined) return `there is nothing at this path; paths begin at the root: use ${meant}`
  const advice = "list its folder to see what it contains"
  return path.startsWith("/")
    ? `there is nothing at this path; / is the root of these files, not of the system: ${advice}`
    : `there is nothing at this path; ${advice}`
}

/** Refuses to make folders for an absolute path of the system: it would be the root's own path once more, in the root. */
const checkAbsolute = (backend: FileBackend, path: string): Effect.Effect<void, BackendError> => {
  if (pathFromRoot(backend, path) === undefined || backend.root === undefined) return Effect.void
  return Effect.matchEffect(backend.stat(backend.root.slice(0, 1), true), {
    onSuccess: () => Effect.void,
    onFailure: ({ code }) => Effect.fail(new BackendError(code)),
  })
}

const roomLeft = ({ room }: FileBackend, code: string): Effect.Effect<string> =>
  room === undefined || (code !== "ENOSPC" && code !== "EDQUOT") ? Effect.succeed("") : room.pipe(
    Effect.map(({ bytes, files }) => {
      const of = (count: number, what: string) => count === Infinity ? [] : [`${count} ${what}`]
      return `; free: ${[...of(bytes, "bytes"), ...of(files, "files")].join(", ")}`
    }),
    Effect.orElseSucceed(() => ""),
  )

/** Reads a range whole: a read may give less than was asked for. */
const readFully = (file: OpenedFile, from: number, to: number): Effect.Effect<Uint8Array, BackendError> =>
  to <= from ? Effect.succeed(emptyBytes) : Effect.gen(function* () {
    const first = yield* file.read(from, to - from)
    if (first.length === to - from || first.length === 0) return first
    const whole = new Uint8Array(to - from)
    whole.set(first)
    let at = first.length
    for (;;) {
      const more = yield* file.read(from + at, to - from - at)
      if (more.length === 0) return whole.subarray(0, at)
      whole.set(more, at)
      at += more.length
      if (at === whole.length) return whole
    }
  })

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
