/**
 * Declares the FileSystem branch: file operations are its requests; contents, confirmations and faults its events.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import type { Branch } from "../branch/BranchDefinition.ts"
import { makeSchemaCodec } from "../branch/makeSchemaCodec.ts"
import { CorrelationId } from "./CorrelationId.ts"
import { FileEvent } from "./FileEvent.ts"
import { FileFault } from "./FileFault.ts"
import { FileRequest } from "./FileRequest.ts"

/**
 * Schema of the end of an answer that came in chunks. Only journals have it: there an entry's tag alone tells whether its
 * request has ended.
 *
 * @stability experimental
 */
export const FileStreamEnd: Schema.TaggedStruct<"FileStreamEnd", { readonly correlationId: typeof CorrelationId }> =
  Schema.TaggedStruct("FileStreamEnd", { correlationId: CorrelationId })

/**
 * Schema of the events of the FileSystem branch in a journal.
 *
 * @stability experimental
 */
export const FileJournalEvent: Schema.Union<readonly [typeof FileEvent, typeof FileStreamEnd, typeof FileFault]> =
  Schema.Union([FileEvent, FileStreamEnd, FileFault])

/**
 * An event of the FileSystem branch in a journal.
 *
 * @stability experimental
 */
export type FileJournalEvent = typeof FileJournalEvent.Type

const lastTags = [
  "FileContent",
  "FileWritten",
  "FileListing",
  "FileDeleted",
  "FileMetadata",
  "FileStreamEnd",
  "FileFault",
]

/**
 * The FileSystem branch.
 *
 * @example
 * ```ts
 * import { FileRead, FileSystemBranch } from "@sluice/shell/files"
 *
 * const request = FileRead.make({ correlationId: "r1", path: "notes.txt" })
 * console.assert(FileSystemBranch.request.encode(request)["path"] === "notes.txt")
 * console.assert(FileSystemBranch.correlationOf(request) === "r1")
 * ```
 *
 * @stability experimental
 */
export const FileSystemBranch: Branch<FileRequest, FileJournalEvent> = {
  name: "filesystem",
  version: 1,
  request: makeSchemaCodec({
    tags: ["FileRead", "FileWrite", "FileList", "FileDelete", "FileStat"],
    schema: FileRequest,
  }),
  event: makeSchemaCodec({ tags: [...lastTags, "FileContentChunk", "FileListingChunk"], schema: FileJournalEvent }),
  correlationOf: (message) => message.correlationId,
  lastTags,
  isLast: (event) => lastTags.includes(event._tag),
}
