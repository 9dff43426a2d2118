/**
 * Schemas of the requests of the FileSystem branch: read, write, list, delete, stat.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CorrelationId } from "./CorrelationId.ts"

type Str = typeof Schema.String
type Bytes = typeof Schema.Uint8ArrayFromBase64
type Flag = Schema.optionalKey<typeof Schema.Boolean>
type Count = Schema.optionalKey<typeof Schema.Int>
type Id = Schema.withConstructorDefault<typeof CorrelationId>

const id: Id = CorrelationId.pipe(Schema.withConstructorDefault(Effect.sync(() => CorrelationId.make())))
const count: Count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const flag: Flag = Schema.optionalKey(Schema.Boolean)

/**
 * Schema of {@link CreateMode}.
 *
 * @stability experimental
 */
export const CreateMode: Schema.Literals<
  readonly ["CreateNew", "CreateOrReplace", "CreateOrAppend", "ReplaceExisting", "AppendExisting"]
> = Schema.Literals(["CreateNew", "CreateOrReplace", "CreateOrAppend", "ReplaceExisting", "AppendExisting"])

/**
 * What a write does with a file that is there, and with one that is not. `CreateNew` fails with `AlreadyExists`,
 * `ReplaceExisting` and `AppendExisting` with `NotFound`. The modes that create a file make missing folders on the way.
 *
 * @stability experimental
 */
export type CreateMode = typeof CreateMode.Type

/**
 * Schema of a request for the content of a file, or for `length` bytes of it from `offset`.
 *
 * @stability experimental
 */
export const FileRead: Schema.TaggedStruct<"FileRead", {
  readonly correlationId: Id
  readonly path: Str
  readonly offset: Count
  readonly length: Count
}> = Schema.TaggedStruct("FileRead", { correlationId: id, path: Schema.String, offset: count, length: count })

/**
 * A request for the content of a file.
 *
 * @stability experimental
 */
export interface FileRead extends Schema.Schema.Type<typeof FileRead> {}

/**
 * Schema of a request to write a file. `chunked` says that `content` is empty and the bytes come beside the request: as a
 * stream, or as `FileWriteChunk` entries before it in a journal.
 *
 * @stability experimental
 */
export const FileWrite: Schema.TaggedStruct<"FileWrite", {
  readonly correlationId: Id
  readonly path: Str
  readonly content: Bytes
  readonly createMode: typeof CreateMode
  readonly chunked: Flag
}> = Schema.TaggedStruct("FileWrite", {
  correlationId: id,
  path: Schema.String,
  content: Schema.Uint8ArrayFromBase64,
  createMode: CreateMode,
  chunked: flag,
})

/**
 * A request to write a file.
 *
 * @stability experimental
 */
export interface FileWrite extends Schema.Schema.Type<typeof FileWrite> {}

/**
 * Schema of a piece of a write that is too large for one entry: its bytes from `offset`.
 *
 * @stability experimental
 */
export const FileWriteChunk: Schema.TaggedStruct<"FileWriteChunk", {
  readonly correlationId: typeof CorrelationId
  readonly offset: typeof Schema.Int
  readonly data: Bytes
  readonly isFinal: typeof Schema.Boolean
}> = Schema.TaggedStruct("FileWriteChunk", {
  correlationId: CorrelationId,
  offset: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  data: Schema.Uint8ArrayFromBase64,
  isFinal: Schema.Boolean,
})

/**
 * A piece of a write.
 *
 * @stability experimental
 */
export interface FileWriteChunk extends Schema.Schema.Type<typeof FileWriteChunk> {}

/**
 * Schema of a request to list a folder: all of its entries, or those whose path below it matches the glob `pattern`.
 *
 * @stability experimental
 */
export const FileList: Schema.TaggedStruct<"FileList", {
  readonly correlationId: Id
  readonly path: Str
  readonly pattern: Schema.optionalKey<Str>
  readonly recursive: Flag
}> = Schema.TaggedStruct("FileList", {
  correlationId: id,
  path: Schema.String,
  pattern: Schema.optionalKey(Schema.String),
  recursive: flag,
})

/**
 * A request to list a folder.
 *
 * @stability experimental
 */
export interface FileList extends Schema.Schema.Type<typeof FileList> {}

/**
 * Schema of a request to delete a file, a link, or a folder: an empty one, or with `recursive` all that is in it.
 *
 * @stability experimental
 */
export const FileDelete: Schema.TaggedStruct<"FileDelete", {
  readonly correlationId: Id
  readonly path: Str
  readonly recursive: Flag
}> = Schema.TaggedStruct("FileDelete", { correlationId: id, path: Schema.String, recursive: flag })

/**
 * A request to delete a file or a folder.
 *
 * @stability experimental
 */
export interface FileDelete extends Schema.Schema.Type<typeof FileDelete> {}

/**
 * Schema of a request for the size, times and type of a file or a folder.
 *
 * @stability experimental
 */
export const FileStat: Schema.TaggedStruct<"FileStat", {
  readonly correlationId: Id
  readonly path: Str
}> = Schema.TaggedStruct("FileStat", { correlationId: id, path: Schema.String })

/**
 * A request for metadata.
 *
 * @stability experimental
 */
export interface FileStat extends Schema.Schema.Type<typeof FileStat> {}

/**
 * Schema of the requests of the FileSystem branch.
 *
 * @stability experimental
 */
export const FileRequest: Schema.Union<
  readonly [typeof FileRead, typeof FileWrite, typeof FileList, typeof FileDelete, typeof FileStat]
> = Schema.Union([FileRead, FileWrite, FileList, FileDelete, FileStat])

/**
 * A request of the FileSystem branch.
 *
 * @stability experimental
 */
export type FileRequest = typeof FileRequest.Type

/** What each request does, for messages. */
export const requestVerbs: Readonly<Record<FileRequest["_tag"], string>> = {
  FileRead: "read",
  FileWrite: "write",
  FileList: "list",
  FileDelete: "delete",
  FileStat: "stat",
}
