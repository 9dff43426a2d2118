/**
 * Declares the tagged reasons of a `SandboxError`, such as `Timeout` and `FileFailed`, as Schemas.
 *
 * @module
 */
import * as Schema from "effect/Schema"

type Str = typeof Schema.String

/**
 * Schema: the script exceeded its timeout; it and everything that it started were killed.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * await using sandbox = await Sandbox.open()
 * const { reason } = await sandbox.run("sleep 60", { timeout: "50 millis" }).catch((error) => error)
 * console.log(Schema.is(Sandbox.SandboxReason.Timeout)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const Timeout: Schema.TaggedStruct<"Timeout", { readonly afterMillis: typeof Schema.Finite }> = Schema
  .TaggedStruct("Timeout", { afterMillis: Schema.Finite })

/**
 * Schema: the stream that the script reads on stdin failed; the script was killed.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * const input = new ReadableStream<string>({ start: (controller) => controller.error(new Error("lost")) })
 * await using sandbox = await Sandbox.open()
 * const { reason } = await sandbox.run("cat", { input }).catch((error) => error)
 * console.log(Schema.is(Sandbox.SandboxReason.InputFailed)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const InputFailed: Schema.TaggedStruct<"InputFailed", {}> = Schema.TaggedStruct("InputFailed", {})

/**
 * Schema: the shell could not be started; `code` is an errno (`EAGAIN`: too many processes).
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * const reason = Sandbox.SandboxReason.NotStarted.make({ code: "EAGAIN" })
 * console.log(Schema.is(Sandbox.SandboxReason.NotStarted)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const NotStarted: Schema.TaggedStruct<"NotStarted", { readonly code: Str }> = Schema
  .TaggedStruct("NotStarted", { code: Schema.String })

/**
 * Schema: the sandbox was closed.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * const sandbox = await Sandbox.open()
 * await sandbox.close()
 * const { reason } = await sandbox.run("true").catch((error) => error)
 * console.log(Schema.is(Sandbox.SandboxReason.Closed)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const Closed: Schema.TaggedStruct<"Closed", {}> = Schema.TaggedStruct("Closed", {})

/**
 * Schema: a file operation of the host failed; `code` is an errno (`ENOENT`, `ENOSPC`, …).
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * await using sandbox = await Sandbox.open()
 * const { reason } = await sandbox.readText("missing").catch((error) => error)
 * console.log(Schema.is(Sandbox.SandboxReason.FileFailed)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const FileFailed: Schema.TaggedStruct<
  "FileFailed",
  { readonly operation: Str; readonly path: Str; readonly code: Str }
> = Schema.TaggedStruct("FileFailed", { operation: Schema.String, path: Schema.String, code: Schema.String })

/**
 * Schema: a volume could not be mounted at `path`.
 *
 * @example
 * ```ts
 * import { Errno } from "@sluice/shell/kernel"
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * const { reason } = await Sandbox.open({ mounts: { "/data": () => -Errno.EIO } }).catch((error) => error)
 * console.log(Schema.is(Sandbox.SandboxReason.MountFailed)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const MountFailed: Schema.TaggedStruct<"MountFailed", { readonly path: Str; readonly code: Str }> = Schema
  .TaggedStruct("MountFailed", { path: Schema.String, code: Schema.String })

/**
 * Schema: a snapshot could not be taken, or the bytes to restore are no snapshot.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * await using sandbox = await Sandbox.open()
 * const { reason } = await sandbox.restore(new Uint8Array(3)).catch((error) => error)
 * console.log(Schema.is(Sandbox.SandboxReason.SnapshotFailed)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const SnapshotFailed: Schema.TaggedStruct<"SnapshotFailed", {}> = Schema.TaggedStruct("SnapshotFailed", {})

/**
 * Schema: a program has to run in a worker, but the runtime has no workers or no shared memory.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * const reason = Sandbox.SandboxReason.NotIsolable.make({})
 * console.log(Schema.is(Sandbox.SandboxReason.NotIsolable)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const NotIsolable: Schema.TaggedStruct<"NotIsolable", {}> = Schema.TaggedStruct("NotIsolable", {})

/**
 * Schema: the script was killed because its `AbortSignal` was aborted.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * await using sandbox = await Sandbox.open()
 * const signal = AbortSignal.timeout(50)
 * const { reason } = await sandbox.run("sleep 60", { signal }).catch((error) => error)
 * console.log(Schema.is(Sandbox.SandboxReason.Cancelled)(reason)) // true
 * ```
 *
 * @stability stable
 */
export const Cancelled: Schema.TaggedStruct<"Cancelled", {}> = Schema.TaggedStruct("Cancelled", {})

/**
 * Schema of the reason of a `SandboxError`.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Schema } from "effect"
 *
 * const isReason = Schema.is(Sandbox.SandboxReason.SandboxReason)
 * console.log(isReason({ _tag: "Closed" }) && !isReason({ _tag: "Other" })) // true
 * ```
 *
 * @stability stable
 */
export const SandboxReason: Schema.Union<
  readonly [
    typeof Timeout,
    typeof InputFailed,
    typeof NotStarted,
    typeof Closed,
    typeof FileFailed,
    typeof MountFailed,
    typeof SnapshotFailed,
    typeof NotIsolable,
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
  NotIsolable,
  Cancelled,
])

/**
 * The reason of a `SandboxError`.
 *
 * @stability stable
 */
export type SandboxReason = typeof SandboxReason.Type
