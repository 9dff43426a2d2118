/** Declares the changes that a commit asks about, its options and its result. */
import type * as Effect from "effect/Effect"
import type { SandboxError } from "../sandbox/SandboxError.ts"
import type { FileChange } from "./FileChange.ts"

/** A change that a commit is about to make in the folder below an overlay. */
export interface PendingChange extends FileChange {
  /** A change of the file by others since the sandbox first read it; `undefined` if there was none. */
  readonly conflict?: string | undefined
  /**
   * Reads the content that would be replaced or removed; empty if it is not a file. Fails with `FileFailed`, also
   * beyond 256 MiB.
   */
  readonly readBefore: Effect.Effect<Uint8Array, SandboxError>
  /** Reads the content that would be written; empty if it is not a file. Fails as `readBefore`. */
  readonly readAfter: Effect.Effect<Uint8Array, SandboxError>
  /** The change as a unified diff, in the format of `diff`; empty for a folder, and if a file is longer than 2 MiB. */
  readonly readPatch: Effect.Effect<string, SandboxError>
}

/** Whether a change is made. `true` does not overwrite changes of others; `"overwrite"` does. */
export type CommitDecision = boolean | "overwrite"

/** Options of a commit. */
export interface CommitOptions<E = never, R = never> {
  /** Decides about each change in the order of paths, before any is made. */
  readonly approve: (change: PendingChange) => CommitDecision | Effect.Effect<CommitDecision, E, R>
  /** Only changes in this folder, absolute. Default: those of all overlays. */
  readonly path?: string | undefined
}

/** The outcome of one change. */
export interface CommitOutcome extends Pick<FileChange, "change" | "path"> {
  /**
   * `committed`: the folder now has the change; `declined`: it was not approved; `conflict`: others have changed the
   * file; `failed`: the file is unchanged.
   */
  readonly status: "committed" | "declined" | "conflict" | "failed"
  /** The reason for which it was not committed. */
  readonly message?: string | undefined
  /** The errno of a failure, such as `EACCES`. */
  readonly code?: string | undefined
}
