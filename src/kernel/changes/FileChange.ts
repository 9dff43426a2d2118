/** Declares the difference at one path between two file systems. */

/** A file as it was before a change, or as it is after it. */
export interface FileVersion {
  /** The kind of the file; `other` is a device, a pipe or a socket. */
  readonly kind: "file" | "folder" | "link" | "other"
  /** Permission bits. */
  readonly mode: number
  /** Bytes of a file; of a link, those of its target. */
  readonly size: number
  /** Target of a symbolic link. */
  readonly target?: string | undefined
  /** Whether a file is text: it has no NUL in its first 8,000 bytes. */
  readonly isText?: boolean | undefined
}

/** A change of a path. Different times alone are not a change. */
export interface FileChange {
  /** Its absolute path. */
  readonly path: string
  /**
   * `changed`: the content or the target differs, and perhaps the mode; `mode`: only the permission bits differ;
   * `replaced`: the path is now another kind of file.
   */
  readonly change: "added" | "removed" | "changed" | "mode" | "replaced"
  /** The version before; `undefined` if there was none. */
  readonly before?: FileVersion | undefined
  /** The version after; `undefined` if there is none. */
  readonly after?: FileVersion | undefined
}

/** Options of comparing two file systems. */
export interface DiffOptions {
  /** The folder to compare, absolute. Paths in the patch start there. Default: `/`, everything. */
  readonly path?: string | undefined
  /** Lines around each change in the patch. Default: 3. */
  readonly contextLines?: number | undefined
  /**
   * Maximum bytes of the patch. A file whose part does not fit is left out of the patch, and listed in `omitted`.
   * Default: 4 MiB.
   */
  readonly maxPatchBytes?: number | undefined
  /** Maximum bytes of a file whose lines are compared; a longer file is left out of the patch. Default: 2 MiB. */
  readonly maxFileBytes?: number | undefined
  /** Maximum number of changes; with more, the comparison fails with `TooManyChanges`. Default: 100,000. */
  readonly maxChanges?: number | undefined
}

/** The differences between two file systems. */
export interface SandboxDiff {
  /** The changes by path, a folder before its content. */
  readonly changes: ReadonlyArray<FileChange>
  /**
   * The changes as a unified diff with the headers of git, for `git apply` and `patch -p1`. As in git, the patch has no
   * empty folders, and of a mode only whether the owner may execute the file. Files that are not UTF-8 are binary
   * patches, which only git applies.
   */
  readonly patch: string
  /** Paths whose part of the patch was left out because of a limit. */
  readonly omitted: ReadonlyArray<string>
}
