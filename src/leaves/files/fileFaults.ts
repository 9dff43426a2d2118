/** Makes the faults of file requests, which say what was tried, what the system answered, and what to do. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { quote } from "../../base/quote.ts"
import { faultKindOf, FileFault } from "../../files/FileFault.ts"
import { parsePath } from "../../files/FilePath.ts"
import { describeRequest, type FileRequest } from "../../files/FileRequest.ts"
import { isTemporaryName } from "../../files/temporaryName.ts"
import type { BackendError, FileBackend, Names } from "./FileBackend.ts"

/** Problems and advice by error code; other codes are shown as they are. */
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

/** The path from the root that an absolute path of the system means: `a.ts` for `/srv/app/a.ts` in the root `/srv/app`. */
export const pathFromRoot = ({ root = [] }: FileBackend, path: string): string | undefined => {
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

const roomLeft = ({ room }: FileBackend, code: string): Effect.Effect<string> =>
  room === undefined || (code !== "ENOSPC" && code !== "EDQUOT") ? Effect.succeed("") : room.pipe(
    Effect.map(({ bytes, files }) => {
      const of = (count: number, what: string) => count === Infinity ? [] : [`${count} ${what}`]
      return `; free: ${[...of(bytes, "bytes"), ...of(files, "files")].join(", ")}`
    }),
    Effect.orElseSucceed(() => ""),
  )

export const faultOf = (
  backend: FileBackend,
  request: FileRequest,
  { code, detail }: BackendError,
): Effect.Effect<FileFault> =>
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

export const refuse = (request: FileRequest, faultKind: FileFault["faultKind"], what: string): FileFault =>
  new FileFault({
    correlationId: request.correlationId,
    faultKind,
    path: request.path,
    message: `${describeRequest(request)}: ${what}`,
  })

/** The names of a request's path. */
export const namesOf = (backend: FileBackend, request: FileRequest): Result.Result<Names, FileFault> => {
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
