/** Schemas of the requests of the FileSystem branch: read, write, list, delete, stat. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { quoteIfNeeded } from "../base/quote.ts"
import { CorrelationId } from "./CorrelationId.ts"

const id: Schema.withConstructorDefault<typeof CorrelationId> = CorrelationId.pipe(
  Schema.withConstructorDefault(Effect.sync(() => CorrelationId.make())),
)
const count: Schema.optionalKey<typeof Schema.Int> = Schema.optionalKey(
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
)
const flag: Schema.optionalKey<typeof Schema.Boolean> = Schema.optionalKey(Schema.Boolean)

const createModes = ["CreateNew", "CreateOrReplace", "CreateOrAppend", "ReplaceExisting", "AppendExisting"] as const

/** Schema of {@link CreateMode}. */
export const CreateMode: Schema.Literals<typeof createModes> = Schema.Literals(createModes)

/**
 * Mode of a write, for a file that exists and for one that does not. `CreateNew` fails with `AlreadyExists`,
 * `ReplaceExisting` and `AppendExisting` with `NotFound`. The modes that create a file make missing folders on the way.
 */
export type CreateMode = typeof CreateMode.Type

/** Schema of a request for the content of a file, or for `length` bytes of it from `offset`. */
export const FileRead: Schema.TaggedStruct<"FileRead", {
  readonly correlationId: Schema.withConstructorDefault<typeof CorrelationId>
  readonly path: typeof Schema.String
  readonly offset: Schema.optionalKey<typeof Schema.Int>
  readonly length: Schema.optionalKey<typeof Schema.Int>
}> = Schema.TaggedStruct("FileRead", { correlationId: id, path: Schema.String, offset: count, length: count })

/** A request for the content of a file. */
export interface FileRead extends Schema.Schema.Type<typeof FileRead> {}

/**
 * Schema of a request to write a file. `permissions` are the bits of chmod(2) that the file gets, where the file system
 * has them; by default a file keeps its own, and a new one has the usual ones. `chunked`: `content` is empty and the
 * bytes are sent separately: as a stream, or as `FileWriteChunk` entries before it in a journal.
 */
export const FileWrite: Schema.TaggedStruct<"FileWrite", {
  readonly correlationId: Schema.withConstructorDefault<typeof CorrelationId>
  readonly path: typeof Schema.String
  readonly content: typeof Schema.Uint8ArrayFromBase64
  readonly createMode: typeof CreateMode
  readonly chunked: Schema.optionalKey<typeof Schema.Boolean>
  readonly permissions: Schema.optionalKey<typeof Schema.Int>
}> = Schema.TaggedStruct("FileWrite", {
  correlationId: id,
  path: Schema.String,
  content: Schema.Uint8ArrayFromBase64,
  createMode: CreateMode,
  chunked: flag,
  permissions: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0o777 }))),
})

/** A request to write a file. */
export interface FileWrite extends Schema.Schema.Type<typeof FileWrite> {}

/** Schema of a piece of a write that is too large for one entry: its bytes from `offset`. */
export const FileWriteChunk: Schema.TaggedStruct<"FileWriteChunk", {
  readonly correlationId: typeof CorrelationId
  readonly offset: typeof Schema.Int
  readonly data: typeof Schema.Uint8ArrayFromBase64
  readonly isFinal: typeof Schema.Boolean
}> = Schema.TaggedStruct("FileWriteChunk", {
  correlationId: CorrelationId,
  offset: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  data: Schema.Uint8ArrayFromBase64,
  isFinal: Schema.Boolean,
})

/** A piece of a write. */
export interface FileWriteChunk extends Schema.Schema.Type<typeof FileWriteChunk> {}

/**
 * Schema of a request to list a folder: all of its entries, or those whose path below it matches the glob `pattern`.
 */
export const FileList: Schema.TaggedStruct<"FileList", {
  readonly correlationId: Schema.withConstructorDefault<typeof CorrelationId>
  readonly path: typeof Schema.String
  readonly pattern: Schema.optionalKey<typeof Schema.String>
  readonly recursive: Schema.optionalKey<typeof Schema.Boolean>
}> = Schema.TaggedStruct("FileList", {
  correlationId: id,
  path: Schema.String,
  pattern: Schema.optionalKey(Schema.String),
  recursive: flag,
})

/** A request to list a folder. */
export interface FileList extends Schema.Schema.Type<typeof FileList> {}

/** Schema of a request to delete a file, a link, or a folder: an empty one, or with `recursive` all that is in it. */
export const FileDelete: Schema.TaggedStruct<"FileDelete", {
  readonly correlationId: Schema.withConstructorDefault<typeof CorrelationId>
  readonly path: typeof Schema.String
  readonly recursive: Schema.optionalKey<typeof Schema.Boolean>
}> = Schema.TaggedStruct("FileDelete", { correlationId: id, path: Schema.String, recursive: flag })

/** A request to delete a file or a folder. */
export interface FileDelete extends Schema.Schema.Type<typeof FileDelete> {}

/** Schema of a request for the size, times and type of a file or a folder. */
export const FileStat: Schema.TaggedStruct<"FileStat", {
  readonly correlationId: Schema.withConstructorDefault<typeof CorrelationId>
  readonly path: typeof Schema.String
}> = Schema.TaggedStruct("FileStat", { correlationId: id, path: Schema.String })

/** A request for metadata. */
export interface FileStat extends Schema.Schema.Type<typeof FileStat> {}

/** Schema of the requests of the FileSystem branch. */
export const FileRequest: Schema.Union<
  readonly [typeof FileRead, typeof FileWrite, typeof FileList, typeof FileDelete, typeof FileStat]
> = Schema.Union([FileRead, FileWrite, FileList, FileDelete, FileStat])

/** A request of the FileSystem branch. */
export type FileRequest = typeof FileRequest.Type

/** Describes a request, for messages: `read src/a.ts`, `list /`. */
export const describeRequest = ({ _tag, path }: Pick<FileRequest, "_tag" | "path">): string =>
  `${requestVerbs[_tag]} ${path === "" ? "/" : quoteIfNeeded(path)}`

const requestVerbs: Readonly<Record<FileRequest["_tag"], string>> = {
  FileRead: "read",
  FileWrite: "write",
  FileList: "list",
  FileDelete: "delete",
  FileStat: "stat",
}
