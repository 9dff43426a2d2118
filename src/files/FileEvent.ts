/** Schemas of the events that answer the requests of the FileSystem branch. */
import * as Schema from "effect/Schema"
import { CorrelationId } from "./CorrelationId.ts"

const count: typeof Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Schema of the content of a file in one event. `isPartial`: the file has more bytes before or after it. */
export const FileContent: Schema.TaggedStruct<"FileContent", {
  readonly correlationId: typeof CorrelationId
  readonly content: typeof Schema.Uint8ArrayFromBase64
  readonly totalSize: typeof Schema.Int
  readonly isPartial: typeof Schema.Boolean
}> = Schema.TaggedStruct("FileContent", {
  correlationId: CorrelationId,
  content: Schema.Uint8ArrayFromBase64,
  totalSize: count,
  isPartial: Schema.Boolean,
})

/** The content of a file. */
export interface FileContent extends Schema.Schema.Type<typeof FileContent> {}

/** Schema of a piece of the content of a large file: its bytes from `offset`. The last one may have no bytes. */
export const FileContentChunk: Schema.TaggedStruct<"FileContentChunk", {
  readonly correlationId: typeof CorrelationId
  readonly offset: typeof Schema.Int
  readonly data: typeof Schema.Uint8ArrayFromBase64
  readonly isFinal: typeof Schema.Boolean
}> = Schema.TaggedStruct("FileContentChunk", {
  correlationId: CorrelationId,
  offset: count,
  data: Schema.Uint8ArrayFromBase64,
  isFinal: Schema.Boolean,
})

/** A piece of the content of a file. */
export interface FileContentChunk extends Schema.Schema.Type<typeof FileContentChunk> {}

/** Schema of the confirmation of a write, which is visible from now on. */
export const FileWritten: Schema.TaggedStruct<"FileWritten", {
  readonly correlationId: typeof CorrelationId
  readonly path: typeof Schema.String
  readonly bytesWritten: typeof Schema.Int
}> = Schema.TaggedStruct("FileWritten", { correlationId: CorrelationId, path: Schema.String, bytesWritten: count })

/** The confirmation of a write. */
export interface FileWritten extends Schema.Schema.Type<typeof FileWritten> {}

/**
 * Schema of an entry of a folder. `path` counts from the listed folder; `modified` is in milliseconds since 1970. A link
 * has the size and type of its target, or of itself where that is missing or outside the root; `target` is the path in it.
 */
export const FileListingEntry: Schema.Struct<{
  readonly path: typeof Schema.String
  readonly size: typeof Schema.Int
  readonly modified: typeof Schema.Int
  readonly isDirectory: typeof Schema.Boolean
  readonly isSymlink: typeof Schema.Boolean
  readonly target: Schema.optionalKey<typeof Schema.String>
}> = Schema.Struct({
  path: Schema.String,
  size: count,
  modified: Schema.Int,
  isDirectory: Schema.Boolean,
  isSymlink: Schema.Boolean,
  target: Schema.optionalKey(Schema.String),
})

/** An entry of a folder. */
export interface FileListingEntry extends Schema.Schema.Type<typeof FileListingEntry> {}

/** Schema of the entries of a folder in one event, in the order of their paths. */
export const FileListing: Schema.TaggedStruct<"FileListing", {
  readonly correlationId: typeof CorrelationId
  readonly entries: Schema.$Array<typeof FileListingEntry>
}> = Schema.TaggedStruct("FileListing", { correlationId: CorrelationId, entries: Schema.Array(FileListingEntry) })

/** The entries of a folder. */
export interface FileListing extends Schema.Schema.Type<typeof FileListing> {}

/** Schema of some of the entries of a large folder, in the order of their paths. The last one may have no entries. */
export const FileListingChunk: Schema.TaggedStruct<"FileListingChunk", {
  readonly correlationId: typeof CorrelationId
  readonly entries: Schema.$Array<typeof FileListingEntry>
  readonly isFinal: typeof Schema.Boolean
}> = Schema.TaggedStruct("FileListingChunk", {
  correlationId: CorrelationId,
  entries: Schema.Array(FileListingEntry),
  isFinal: Schema.Boolean,
})

/** Some of the entries of a folder. */
export interface FileListingChunk extends Schema.Schema.Type<typeof FileListingChunk> {}

/** Schema of the confirmation of a deletion. `deletedCount` counts files, links and folders. */
export const FileDeleted: Schema.TaggedStruct<"FileDeleted", {
  readonly correlationId: typeof CorrelationId
  readonly path: typeof Schema.String
  readonly deletedCount: typeof Schema.Int
}> = Schema.TaggedStruct("FileDeleted", { correlationId: CorrelationId, path: Schema.String, deletedCount: count })

/** The confirmation of a deletion. */
export interface FileDeleted extends Schema.Schema.Type<typeof FileDeleted> {}

/**
 * Schema of the metadata of a file or a folder. Times are in milliseconds since 1970; `created` is missing where the
 * system does not know it, `permissions` (the bits of chmod(2)) where it has none. A link is followed; `isSymlink` is
 * set if the path is a link.
 */
export const FileMetadata: Schema.TaggedStruct<"FileMetadata", {
  readonly correlationId: typeof CorrelationId
  readonly size: typeof Schema.Int
  readonly modified: typeof Schema.Int
  readonly created: Schema.optionalKey<typeof Schema.Int>
  readonly isDirectory: typeof Schema.Boolean
  readonly isSymlink: typeof Schema.Boolean
  readonly permissions: Schema.optionalKey<typeof Schema.Int>
}> = Schema.TaggedStruct("FileMetadata", {
  correlationId: CorrelationId,
  size: count,
  modified: Schema.Int,
  created: Schema.optionalKey(Schema.Int),
  isDirectory: Schema.Boolean,
  isSymlink: Schema.Boolean,
  permissions: Schema.optionalKey(count),
})

/** The metadata of a file or a folder. */
export interface FileMetadata extends Schema.Schema.Type<typeof FileMetadata> {}

/** Schema of the events of the FileSystem branch, except its fault. */
export const FileEvent: Schema.Union<
  readonly [
    typeof FileContent,
    typeof FileContentChunk,
    typeof FileWritten,
    typeof FileListing,
    typeof FileListingChunk,
    typeof FileDeleted,
    typeof FileMetadata,
  ]
> = Schema.Union([
  FileContent,
  FileContentChunk,
  FileWritten,
  FileListing,
  FileListingChunk,
  FileDeleted,
  FileMetadata,
])

/** An event of the FileSystem branch. */
export type FileEvent = typeof FileEvent.Type

export const isLastFileEvent = (event: FileEvent): boolean => !("isFinal" in event) || event.isFinal
