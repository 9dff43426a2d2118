/**
 * The one error of sandboxes.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

type Str = typeof Schema.String

/** Schema: the script ran longer than it may, and everything that it started was killed. */
export const Timeout: Schema.TaggedStruct<"Timeout", { readonly afterMillis: typeof Schema.Finite }> = Schema
  .TaggedStruct("Timeout", { afterMillis: Schema.Finite })

/** Schema: the stream of the script's stdin failed, and the script was killed. */
export const InputFailed: Schema.TaggedStruct<"InputFailed", {}> = Schema.TaggedStruct("InputFailed", {})

/** Schema: the sandbox has no room for the shell itself: `code` says of what (`EAGAIN`: of processes). */
export const NotStarted: Schema.TaggedStruct<"NotStarted", { readonly code: Str }> = Schema
  .TaggedStruct("NotStarted", { code: Schema.String })

/** Schema: the scope of the sandbox was closed. */
export const Closed: Schema.TaggedStruct<"Closed", {}> = Schema.TaggedStruct("Closed", {})

/** Schema: a file that the host wanted to read, write, list or remove; `code` is an errno (`ENOENT`, `ENOSPC`, …). */
export const FileFailed: Schema.TaggedStruct<
  "FileFailed",
  { readonly operation: Str; readonly path: Str; readonly code: Str }
> = Schema.TaggedStruct("FileFailed", { operation: Schema.String, path: Schema.String, code: Schema.String })

/** Schema: a volume that could not be mounted. */
export const MountFailed: Schema.TaggedStruct<"MountFailed", { readonly path: Str; readonly code: Str }> = Schema
  .TaggedStruct("MountFailed", { path: Schema.String, code: Schema.String })

/** Schema: a snapshot that could not be taken, or that is none. */
export const SnapshotFailed: Schema.TaggedStruct<"SnapshotFailed", {}> = Schema.TaggedStruct("SnapshotFailed", {})

/** Schema: a program is to run in a worker, and this runtime has none, or no memory that can be shared with one. */
export const NotIsolable: Schema.TaggedStruct<"NotIsolable", {}> = Schema.TaggedStruct("NotIsolable", {})

/** Schema of why a sandbox could not do what it was asked for. */
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
  ]
> = Schema.Union([Timeout, InputFailed, NotStarted, Closed, FileFailed, MountFailed, SnapshotFailed, NotIsolable])

/** Why a sandbox could not do what it was asked for. */
export type SandboxReason = typeof SandboxReason.Type

/** The fields of {@link SandboxError}, as Schemas. */
export type SandboxErrorFields = {
  readonly reason: typeof SandboxReason
  readonly message: Str
  readonly stdout: Str
  readonly stderr: Str
}

const Base: Schema.Class<
  SandboxError,
  Schema.TaggedStruct<"SandboxError", SandboxErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<SandboxError>()("SandboxError", {
  reason: SandboxReason,
  message: Schema.String,
  stdout: Schema.String,
  stderr: Schema.String,
})

/**
 * Something that a sandbox could not do. An exit code is never an error, and neither is a script that is wrong: the
 * shell says so on stderr and exits with 2.
 *
 * `reason` is tagged, for `Effect.catchReason`; `message` reads `sandbox: what happened (CODE)`; `stdout` and `stderr`
 * are what `run` had got until then, and empty elsewhere.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/kernel"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make()
 *   return yield* sandbox.run("echo so far; sleep 60", { timeout: "100 millis" })
 * })
 * const error = await Effect.runPromise(Effect.flip(Effect.scoped(program)))
 * console.assert(error.reason._tag === "Timeout" && error.stdout === "so far\n")
 * ```
 */
export class SandboxError extends Base {
  /** Makes an error of a reason and what happened, in words. */
  static because(
    reason: SandboxReason,
    what: string,
    code: string,
    written: { readonly stdout: string; readonly stderr: string } = { stdout: "", stderr: "" },
  ): SandboxError {
    const { stderr, stdout } = written
    return new SandboxError({ reason, message: `sandbox: ${what} (${code})`, stdout, stderr })
  }
}
