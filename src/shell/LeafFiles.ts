/** Declares the file lookups of a leaf for an access policy, and what a policy requires at the spawn. */

/** A file or directory at the time of its lookup. */
export interface SeenFile {
  /** The absolute path of the lookup; its last part may be a symbolic link. */
  readonly path: string
  /** The canonical path (realpath(3)). */
  readonly file: string
  /** The directory entry: the canonical path of the directory it was found in, and its name there; in lower case on Windows. */
  readonly entry: string
  /** Identity, to detect another file in its place: device and inode; for a file also size and modification time. */
  readonly identity: string
}

/**
 * The result of a file lookup:
 *
 * - `Seen`: it exists, and may be executed (a program) or entered (a directory).
 * - `Missing`: it does not exist; `code` is the errno name (`ENOENT`, `ENOTDIR`).
 * - `Denied`: it exists, and may not be executed.
 * - `Unseen`: this process may not check it (Deno without `--allow-read`).
 */
export type FileLookup =
  | { readonly _tag: "Seen"; readonly seen: SeenFile }
  | { readonly _tag: "Missing"; readonly path: string; readonly code: string }
  | { readonly _tag: "Denied"; readonly path: string }
  | { readonly _tag: "Unseen"; readonly path: string }

/**
 * The file lookups of a leaf, for an access policy. A leaf with lookups also enforces {@link SpawnConstraints}.
 */
export interface LeafFiles {
  /**
   * Finds a program: a name without a slash is searched in the absolute directories of `searchPath`, a path is resolved against
   * the current directory of the process.
   */
  readonly program: (name: string, searchPath: string) => FileLookup
  /** Finds a directory; a relative path is resolved against the base directory of the leaf. */
  readonly directory: (path: string) => FileLookup
  /** Finds the canonical path of a file or directory (realpath(3)); `undefined` if there is none, or it may not be seen. */
  readonly realPath: (path: string) => string | undefined
  /** Whether a path is a symbolic link itself, wherever it leads. */
  readonly isLink: (path: string) => boolean
  /** Reads one variable of the environment that commands inherit. */
  readonly variable: (name: string) => string | undefined
  /** Reads the environment that commands inherit; `undefined` where it may not be read. */
  readonly environment: () => Readonly<Record<string, string>> | undefined
}

/** The checked files of a command. If they have changed when the process is started, the command is refused. */
export interface SpawnConstraints {
  /** The program. Its snapshot is started, whatever name the command has for it. */
  readonly program?: SeenFile | undefined
  /** The working directory. */
  readonly directory?: SeenFile | undefined
  /** The variables of the leaf's environment that the command inherits. Default: all. */
  readonly inherits?: ((name: string) => boolean) | undefined
}
