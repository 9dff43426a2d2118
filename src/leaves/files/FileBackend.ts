/**
 * Declares the file calls over which a leaf of the FileSystem branch is built: those of this machine, or of the kernel.
 *
 * A path is a list of names below the root. A call fails with the error code of the system.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileNotifier } from "../../files/FileNotifier.ts"
import type { FilesCapabilities } from "../../files/FilesService.ts"

/**
 * A failed call. `code` is the POSIX name of the error (`ENOENT`); `detail` describes an error that the code does not.
 */
export class BackendError {
  readonly _tag = "BackendError"
  readonly code: string
  readonly detail: string | undefined

  constructor(code: string, detail?: string) {
    this.code = code
    this.detail = detail
  }
}

const closedCodes: ReadonlySet<string> = new Set(
  ["ENOENT", "ENOTDIR", "ELOOP", "ENOTCAPABLE", "EACCES", "EPERM", "EILSEQ", "ENAMETOOLONG"],
)

/** Whether a folder in a recursive listing is gone by now or not accessible; it then has no entries. */
export const isClosed = ({ code }: BackendError): boolean => closedCodes.has(code)

export type Names = ReadonlyArray<string>

/** Metadata of a file or a folder. Times are in milliseconds since 1970. */
export interface BackendStat {
  readonly type: "file" | "directory" | "symlink" | "other"
  readonly size: number
  readonly modified: number
  readonly created?: number | undefined
  readonly permissions?: number | undefined
  readonly target?: string | undefined
}

export interface Room {
  readonly bytes: number
  readonly files: number
}

export interface OpenedFile {
  readonly size: number
  /** Reads from an offset; returns no bytes at the end. The result belongs to the caller. */
  readonly read: (offset: number, length: number) => Effect.Effect<Uint8Array, BackendError>
}

/** The range of a file that is read first; `length` may be `Infinity`. */
export interface ReadRange {
  readonly offset: number
  readonly length: number
}

export interface FileWriter {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, BackendError>
  /** Makes the written content visible, and durable where the leaf can. Without it, closing the scope undoes the write. */
  readonly commit: Effect.Effect<void, BackendError>
}

/**
 * The file calls of one root. No path leads out of it: such a call fails with `ENOTCAPABLE`. With `exact` the call
 * fails with `ELOOP` if any name of the path but the last is a link.
 */
export interface FileBackend {
  readonly capabilities: FilesCapabilities
  /** The names of the root in the file system that contains it, as commands spell them. Default: none, or unknown. */
  readonly root?: Names | undefined
  /** Notifies about the changes of all processes. Default: the leaf notifies about its own. */
  readonly notifier?: FileNotifier | undefined
  /** Bytes that may still be written, for messages. Default: unknown. */
  readonly room?: Effect.Effect<Room, BackendError> | undefined
  /** Refuses names that the system does not accept, with the reason. */
  readonly checkName: (name: string) => string | undefined
  /** The names that lead to a folder without links. */
  readonly canonical: (folder: Names) => Effect.Effect<Names, BackendError>
  /** Metadata of the entry at a path, with or without following links. */
  readonly stat: (path: Names, follow: boolean) => Effect.Effect<BackendStat, BackendError>
  /** The names in a folder with their types; links are not followed. `follow`: the path itself may be a link. */
  readonly list: (
    path: Names,
    follow: boolean,
    exact?: boolean,
  ) => Effect.Effect<ReadonlyArray<readonly [name: string, stat: BackendStat]>, BackendError>
  /**
   * Opens a regular file; `EISDIR` for a folder, `ENXIO` for a pipe, a socket or a device. Never waits for a pipe. With
   * the range, a remote file is opened and read by one request; other reads are possible.
   */
  readonly open: (path: Names, range?: ReadRange) => Effect.Effect<OpenedFile, BackendError, Scope.Scope>
  /**
   * Writes a new file, with permission bits if they are given, that becomes visible with `commit`, which fails with
   * `EEXIST` if the path exists by then.
   */
  readonly create: (path: Names, permissions?: number) => Effect.Effect<FileWriter, BackendError, Scope.Scope>
  /** Replaces the file at a path with `commit`, in one step; `mustExist` fails with `ENOENT`. A link is followed. */
  readonly replace: (
    path: Names,
    mustExist: boolean,
    permissions?: number,
  ) => Effect.Effect<FileWriter, BackendError, Scope.Scope>
  /** Writes at the end of a file; `create` makes a missing one. */
  readonly append: (
    path: Names,
    create: boolean,
    permissions?: number,
  ) => Effect.Effect<FileWriter, BackendError, Scope.Scope>
  readonly makeDirectory: (path: Names) => Effect.Effect<void, BackendError>
  /** Removes a file or a link, which is not followed. */
  readonly removeFile: (path: Names, exact?: boolean) => Effect.Effect<void, BackendError>
  /** Removes an empty folder. */
  readonly removeDirectory: (path: Names, exact?: boolean) => Effect.Effect<void, BackendError>
  /** Removes a folder with its content, if that is cheaper than removing each entry; counts files and folders. */
  readonly removeTree?: ((path: Names) => Effect.Effect<number, BackendError>) | undefined
}
