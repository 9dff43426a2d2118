/**
 * Types for file lookups of a leaf, and for what an access policy requires of the spawn.
 *
 * @module
 */

/**
 * A file or directory as it was when it was looked at.
 *
 * @stability experimental
 */
export interface FileSnapshot {
  /** The absolute path by which it was reached; a symbolic link may be the last part of it. */
  readonly path: string
  /** The canonical path (realpath(3)). */
  readonly file: string
  /** The directory entry: the canonical path of the directory it was found in, and its name there. */
  readonly entry: string
  /** What tells it from another file put in its place: device and inode, of a file also its size and time of change. */
  readonly identity: string
}

/**
 * What became of a look at a file:
 *
 * - `Seen`: it is there, and may be executed (a program) or entered (a directory).
 * - `Missing`: it is not; `code` is the errno name (`ENOENT`, `ENOTDIR`).
 * - `Denied`: it is there, and may not be executed.
 * - `Unseen`: this process may not look (Deno without `--allow-read`).
 *
 * @stability experimental
 */
export type FileLookup =
  | { readonly _tag: "Seen"; readonly seen: FileSnapshot }
  | { readonly _tag: "Missing"; readonly path: string; readonly code: string }
  | { readonly _tag: "Denied"; readonly path: string }
  | { readonly _tag: "Unseen"; readonly path: string }

/**
 * A leaf's files, for an access policy. A leaf that gives them also keeps to {@link SpawnConstraints}.
 *
 * @stability experimental
 */
export interface LeafFiles {
  /**
   * The program that a name means: a name without a slash is looked for in the absolute directories of `searchPath`,
   * a path is made absolute against the current directory of the process.
   */
  readonly program: (name: string, searchPath: string) => FileLookup
  /** A directory; relative ones start from the leaf's own base. */
  readonly directory: (path: string) => FileLookup
  /** One variable of the environment that commands inherit. */
  readonly variable: (name: string) => string | undefined
}

/**
 * What was decided about, and holds when the process is started: else the command is refused.
 *
 * @stability experimental
 */
export interface SpawnConstraints {
  /** The program. It is started by what was seen, whatever the command's own name for it. */
  readonly program?: FileSnapshot | undefined
  /** The working directory. */
  readonly directory?: FileSnapshot | undefined
  /** The variables of the leaf's environment that the command inherits. Default: all. */
  readonly inherits?: ((name: string) => boolean) | undefined
}
