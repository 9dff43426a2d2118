/** Declares the types of the `Files` service, which a leaf of the FileSystem branch implements. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { OptionError } from "../base/OptionError.ts"
import type { RequestService } from "../branch/ServiceBranch.ts"
import type { FileEvent } from "./FileEvent.ts"
import type { FileFault } from "./FileFault.ts"
import type { FileRequest } from "./FileRequest.ts"
import type { FileWatchEvent } from "./FileWatchEvent.ts"
import type { FileWatchOptions } from "./FileWatchOptions.ts"

/** Capabilities of a leaf beyond the contract. */
export interface FilesCapabilities {
  /** Name of the leaf, for messages and logs. */
  readonly leaf: string
  /**
   * The way a path is kept below the root while other processes change folders: by checking the opened object
   * (`"handles"`), by comparing paths again after opening (`"verify"`), or by a file system without other writers
   * (`"exclusive"`). With `"verify"`, a listing, a deletion or the last step of a write may still act outside if
   * another process swaps a folder at that moment.
   */
  readonly containment: "handles" | "verify" | "exclusive"
  /** Whether names that differ only in case are different files. */
  readonly caseSensitive: boolean
}

/** A search for files whose content may match. */
export interface CandidateQuery {
  /** The folder, as its path from the root. */
  readonly folder: string
  /** A regular expression in the syntax of RE2, or text. */
  readonly pattern: string
  /** Whether the pattern is text. */
  readonly literal: boolean
  /** Whether case is ignored. */
  readonly ignoreCase: boolean
  /** Whether the result may omit files that `.gitignore` excludes. */
  readonly gitignore: boolean
  /** Globs of paths below the folder; files that match none of them may be left out. */
  readonly globs: ReadonlyArray<string>
}

/** Files whose content may match. */
export interface FileCandidates {
  /** The paths of the files from the root, in any order: all files that match, and perhaps others. */
  readonly paths: ReadonlyArray<string>
  /** The paths of all `.gitignore` files in the folders above these files. */
  readonly gitignores: ReadonlyArray<string>
}

/** A file system below one root. */
export interface FilesService extends RequestService<FileRequest, FileEvent, FileFault> {
  /**
   * Answers one request. A read gives one `FileContent`, or above the leaf's `streamingThreshold` `FileContentChunk`s, read
   * as the stream is pulled; a list one `FileListing`, or for more than 1,000 entries `FileListingChunk`s; every other
   * request one event. `content` is that of a `FileWrite` that is `chunked`. Closing the stream early ends a read or a list,
   * and leaves a write undone.
   */
  readonly request: RequestService<FileRequest, FileEvent, FileFault>["request"]
  /** The capabilities of the leaf. */
  readonly capabilities: FilesCapabilities
  /**
   * Optional: finds the files that may match without reading all of them; `undefined` if it cannot. `FileSearch` then reads
   * these files.
   */
  readonly findCandidates?:
    | ((query: CandidateQuery) => Effect.Effect<FileCandidates | undefined>)
    | undefined
  /** The changes below a folder, for `FileWatch.watch`. Without it a watch compares listings that it requests. */
  readonly watch?:
    | ((path: string, options: FileWatchOptions) => Stream.Stream<FileWatchEvent, FileFault | OptionError>)
    | undefined
}
