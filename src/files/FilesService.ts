/**
 * Types of the `Files` service: what a leaf of the FileSystem branch implements.
 *
 * @module
 */
import type * as Stream from "effect/Stream"
import type { FileEvent } from "./FileEvent.ts"
import type { FileFault } from "./FileFault.ts"
import type { FileRequest } from "./FileRequest.ts"

/**
 * What a leaf can do beyond the contract.
 *
 * @stability experimental
 */
export interface FilesCapabilities {
  /** Name of the leaf, for messages and logs. */
  readonly leaf: string
  /**
   * How a path is kept below the root while others change folders: decided on what is opened (`"handles"`), looked at
   * again after it was opened (`"verify"`), or by a file system that nobody else changes (`"exclusive"`).
   */
  readonly containment: "handles" | "verify" | "exclusive"
  /** Whether names that differ only in case are different files. */
  readonly caseSensitive: boolean
}

/**
 * Bytes that belong to a request but are not part of it.
 *
 * @stability experimental
 */
export interface FileRequestOptions {
  /** The content of a `FileWrite` that is `chunked`: pulled as it is written. */
  readonly content?: Stream.Stream<Uint8Array, unknown> | undefined
}

/**
 * A file system below one root.
 *
 * @stability experimental
 */
export interface FilesService {
  /**
   * Answers one request. A read gives one `FileContent`, or above the leaf's `streamingThreshold` `FileContentChunk`s, read
   * as the stream is pulled; a list one `FileListing`, or for more than 1,000 entries `FileListingChunk`s; every other
   * request one event. Closing the stream early ends a read or a list, and leaves a write undone.
   */
  readonly request: (request: FileRequest, options?: FileRequestOptions) => Stream.Stream<FileEvent, FileFault>
  /** What the leaf can do. */
  readonly capabilities: FilesCapabilities
}
