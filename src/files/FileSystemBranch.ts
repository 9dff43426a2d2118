/** Declares the FileSystem branch: file operations are its requests; contents, confirmations and faults its events. */
import * as Stream from "effect/Stream"
import { emptyBytes } from "../base/bytes.ts"
import { makeSchemaCodec } from "../branch/makeSchemaCodec.ts"
import { makeServiceBranch, type RequestFailure, type ServiceBranch } from "../branch/ServiceBranch.ts"
import { FileEvent } from "./FileEvent.ts"
import { FileFault, type FileFaultKind } from "./FileFault.ts"
import { describeRequest, FileRequest, FileWriteChunk } from "./FileRequest.ts"

const kinds: Readonly<Record<RequestFailure["kind"], FileFaultKind>> = {
  AlreadyOpen: "AlreadyExists",
  Broken: "IoError",
  Cancelled: "IoError",
  HostLost: "IoError",
  JournalFailed: "IoError",
  NotTaken: "Timeout",
}

/** Maximum bytes that a write stores in its own entry; more are stored in chunks. */
const maxInlineBytes = 1_048_576

const chunks = makeSchemaCodec({ tags: ["FileWriteChunk"], schema: FileWriteChunk })

/**
 * The FileSystem branch.
 *
 * @example
 * ```ts
 * import { FileRead, FileSystemBranch } from "@sluice/shell/files"
 *
 * const request = FileRead.make({ correlationId: "r1", path: "notes.txt" })
 * console.log(FileSystemBranch.request.encode(request)["path"]) // notes.txt
 * console.log(FileSystemBranch.correlationOf(request)) // r1
 * ```
 */
export const FileSystemBranch: ServiceBranch<FileRequest, FileEvent, FileFault> = makeServiceBranch({
  name: "filesystem",
  constantName: "FileSystemBranch",
  request: { tags: ["FileRead", "FileWrite", "FileList", "FileDelete", "FileStat"], schema: FileRequest },
  event: {
    tags: [
      "FileContent",
      "FileContentChunk",
      "FileWritten",
      "FileListing",
      "FileListingChunk",
      "FileDeleted",
      "FileMetadata",
    ],
    schema: FileEvent,
  },
  fault: { tags: ["FileFault"], schema: FileFault },
  pieces: ["FileContentChunk", "FileListingChunk"],
  makeFault: ({ _tag, correlationId, path }, { kind, what }) =>
    new FileFault({
      correlationId,
      faultKind: kinds[kind],
      path,
      message: `${describeRequest({ _tag, path })}: ${what} (${kind.toUpperCase()})`,
      code: kind.toUpperCase(),
    }),
  // Requests that only read may be answered twice.
  canRerun: ({ _tag }) => _tag === "FileRead" || _tag === "FileList" || _tag === "FileStat",
  bytes: ["content", "data"],
  content: {
    tag: "FileWriteChunk",
    hasContent: (request) => request._tag === "FileWrite" && request.chunked === true,
    encode: ({ correlationId }, offset, data, isFinal) =>
      chunks.encode({ _tag: "FileWriteChunk", correlationId, offset, data, isFinal }),
    decode: (body) => chunks.decode(body, 1),
    detach: (request) =>
      request._tag === "FileWrite" && request.content.length > maxInlineBytes
        ? { request: { ...request, content: emptyBytes, chunked: true }, content: Stream.make(request.content) }
        : undefined,
  },
})
