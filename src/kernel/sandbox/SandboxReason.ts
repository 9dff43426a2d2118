/**
 * Declares the tagged reasons of a `SandboxError`, such as `Timeout` and `FileFailed`, as Schemas.
 *
 * @module
 */
import * as Schema from "effect/Schema"

type Str = typeof Schema.String

/** Schema: the script exceeded its timeout; it and everything that it started were killed. */
export const Timeout: Schema.TaggedStruct<"Timeout", { readonly afterMillis: typeof Schema.Finite }> = Schema
  .TaggedStruct("Timeout", { afterMillis: Schema.Finite })

/** Schema: the stream that the script reads on stdin failed; the script was killed. */
export const InputFailed: Schema.TaggedStruct<"InputFailed", {}> = Schema.TaggedStruct("InputFailed", {})

/** Schema: the shell could not be started; `code` is an errno (`EAGAIN`: too many processes). */
export const NotStarted: Schema.TaggedStruct<"NotStarted", { readonly code: Str }> = Schema
  .TaggedStruct("NotStarted", { code: Schema.String })

/** Schema: the sandbox was closed. */
export const Closed: Schema.TaggedStruct<"Closed", {}> = Schema.TaggedStruct("Closed", {})

/** Schema: a file operation of the host failed; `code` is an errno (`ENOENT`, `ENOSPC`, …). */
export const FileFailed: Schema.TaggedStruct<
  "FileFailed",
  { readonly operation: Str; readonly path: Str; readonly code: Str }
> = Schema.TaggedStruct("FileFailed", { operation: Schema.String, path: Schema.String, code: Schema.String })

/** Schema: a volume could not be mounted at `path`. */
export const MountFailed: Schema.TaggedStruct<"MountFailed", { readonly path: Str; readonly code: Str }> = Schema
  .TaggedStruct("MountFailed", { path: Schema.String, code: Schema.String })

/** Schema: a snapshot could not be taken, or the bytes to restore are not a snapshot. */
export const SnapshotFailed: Schema.TaggedStruct<"SnapshotFailed", {}> = Schema.TaggedStruct("SnapshotFailed", {})

/** Schema: more paths differ than `maxChanges`. */
export const TooManyChanges: Schema.TaggedStruct<"TooManyChanges", { readonly maxChanges: typeof Schema.Finite }> =
  Schema.TaggedStruct("TooManyChanges", { maxChanges: Schema.Finite })

/** Schema: there is nothing to commit to: no overlay of one folder is mounted at `path`. */
export const NoOverlay: Schema.TaggedStruct<"NoOverlay", { readonly path: Str }> = Schema
  .TaggedStruct("NoOverlay", { path: Schema.String })

/** Schema: a program has to run in a worker, but the runtime has no workers or no shared memory. */
export const NotIsolable: Schema.TaggedStruct<"NotIsolable", {}> = Schema.TaggedStruct("NotIsolable", {})

/** Schema: the script wrote more than `maxOutputBytes` and was killed. Only promises fail so: `truncated` says it elsewhere. */
export const OutputLimit: Schema.TaggedStruct<"OutputLimit", { readonly maxOutputBytes: typeof Schema.Finite }> = Schema
  .TaggedStruct("OutputLimit", { maxOutputBytes: Schema.Finite })

/** Schema: the script was killed because its `AbortSignal` was aborted. */
export const Cancelled: Schema.TaggedStruct<"Cancelled", {}> = Schema.TaggedStruct("Cancelled", {})

/** Schema of the reason of a `SandboxError`. */
export const SandboxReason: Schema.Union<
  readonly [
    typeof Timeout,
    typeof InputFailed,
    typeof NotStarted,
    typeof Closed,
    typeof FileFailed,
    typeof MountFailed,
    typeof SnapshotFailed,
    typeof TooManyChanges,
    typeof NoOverlay,
    typeof NotIsolable,
    typeof OutputLimit,
    typeof Cancelled,
  ]
> = Schema.Union([
  Timeout,
  InputFailed,
  NotStarted,
  Closed,
  FileFailed,
  MountFailed,
  SnapshotFailed,
  TooManyChanges,
  NoOverlay,
  NotIsolable,
  OutputLimit,
  Cancelled,
])

/**
 * The reason of a `SandboxError`.
 *
 * @stability stable
 */
export type SandboxReason = typeof SandboxReason.Type
