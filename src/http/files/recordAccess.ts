/**
 * Records file requests in the journal, with only the size and the hash of contents. The entries have a branch of their
 * own: clients choose the ids, and no entry may be mistaken for an answer of the FileSystem branch.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { sha256Stream } from "../../base/sha256.ts"
import { journalRequests } from "../../branch/journalRequests.ts"
import { makeServiceBranch, type RequestService, type ServiceBranch } from "../../branch/ServiceBranch.ts"
import { CorrelationId } from "../../files/CorrelationId.ts"
import { FileEvent, isLastFileEvent } from "../../files/FileEvent.ts"
import { FileFault } from "../../files/FileFault.ts"
import { describeRequest, FileRequest } from "../../files/FileRequest.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { FileSystemBranch } from "../../files/FileSystemBranch.ts"
import { Journal, type JournalService } from "../../journal/JournalService.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A request: `by` is the name of the token. The bytes of a write are not part of it, and no entry has them. */
const FileAccess = Schema.TaggedStruct("FileAccess", {
  correlationId: CorrelationId,
  by: Schema.String,
  about: Schema.String,
  request: FileRequest,
})
type FileAccess = typeof FileAccess.Type

/** Its outcome: the bytes that were read or written and their SHA-256, the entries of a listing, or what was deleted. */
const FileAccessed = Schema.TaggedStruct("FileAccessed", {
  correlationId: CorrelationId,
  bytes: Schema.optionalKey(count),
  sha256: Schema.optionalKey(Schema.String),
  entries: Schema.optionalKey(count),
  deletedCount: Schema.optionalKey(count),
})
type FileAccessed = typeof FileAccessed.Type

/** The answer of the file system. No entry contains it. */
const FilePassed = Schema.TaggedStruct("FilePassed", { correlationId: CorrelationId, event: FileEvent })
type FilePassed = typeof FilePassed.Type

const AccessBranch: ServiceBranch<FileAccess, FileAccessed | FilePassed, FileFault> = makeServiceBranch({
  name: "file-access",
  request: { tags: ["FileAccess"], schema: FileAccess },
  event: { tags: ["FileAccessed", "FilePassed"], schema: Schema.Union([FileAccessed, FilePassed]) },
  transient: ["FilePassed"],
  fault: { tags: ["FileFault"], schema: FileFault },
  makeFault: ({ request }, failure) => FileSystemBranch.makeFault(request, failure),
})

/** Measures the content, and returns the outcome after the last event. */
const measured = (files: FilesService): RequestService<FileAccess, FileAccessed | FilePassed, FileFault> => ({
  request: ({ correlationId, request }, { content } = {}) =>
    Stream.suspend(() => {
      const hash = sha256Stream()
      let bytes = 0
      let entries = 0
      const add = (data: Uint8Array): void => {
        bytes += data.length
        hash.update(data)
      }
      const outcomeOf = (last: FileEvent): FileAccessed => {
        const facts = last._tag === "FileDeleted"
          ? { deletedCount: last.deletedCount }
          : request._tag === "FileList"
          ? { entries }
          : request._tag === "FileStat"
          ? {}
          : { bytes, sha256: hash.digest() }
        return { _tag: "FileAccessed", correlationId, ...facts }
      }
      const counted = content?.pipe(Stream.tap((data) => Effect.sync(() => add(data))))
      return files.request(request, { content: counted }).pipe(
        Stream.map((event) => {
          if (event._tag === "FileContent") add(event.content)
          if (event._tag === "FileContentChunk") add(event.data)
          if ("entries" in event) entries += event.entries.length
          const passed: FilePassed = { _tag: "FilePassed", correlationId, event }
          return isLastFileEvent(event) ? [passed, outcomeOf(event)] : [passed]
        }),
        Stream.flattenIterable,
      )
    }),
})

/** The file system of a token, with each request in a journal before it has an effect, and its outcome before it is seen. */
export const recordAccess = (
  files: FilesService,
  by: string,
  journal: JournalService,
): Effect.Effect<FilesService> =>
  journalRequests(AccessBranch, measured(files)).pipe(
    Effect.provideService(Journal, journal),
    Effect.map((recorded) => ({
      ...files,
      request: (request, options) => {
        const { correlationId } = request
        const about = `${describeRequest(request)} (${by})`
        return Stream.suspend(() => {
          // The last event waits until the journal has the outcome, because the caller stops reading after it.
          let last: ReadonlyArray<FileEvent> = []
          return recorded.request({ _tag: "FileAccess", correlationId, by, about, request }, options).pipe(
            Stream.map((passed) => {
              if (passed._tag === "FileAccessed") return last
              if (!isLastFileEvent(passed.event)) return [passed.event]
              last = [passed.event]
              return []
            }),
            Stream.flattenIterable,
          )
        })
      },
    })),
  )
