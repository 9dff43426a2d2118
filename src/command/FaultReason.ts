/**
 * Declares the tagged reasons of a `ShellFault` as Schemas; decodes reasons of later versions as {@link Unknown}.
 *
 * Longer than 300 lines, because each reason has an example.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

type Str = typeof Schema.String
type Opt = Schema.optionalKey<typeof Schema.String>
type Num = typeof Schema.Finite
type OptCount = Schema.optionalKey<typeof Schema.Int>

const opt: Opt = Schema.optionalKey(Schema.String)
const optCount: OptCount = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))

/**
 * Schema: the program, its interpreter or the working directory is not there (ENOENT, ENOTDIR); of containers also the engine, the
 * image or the container.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const run = Shell.run(ShellExec.make("no-such-program"))
 * const { reason } = await Effect.runPromise(run.pipe(Effect.flip, Effect.provide(LocalShell.layer)))
 * console.log(reason._tag === "NotFound" && reason.what) // command
 * ```
 *
 * @stability stable
 */
export const NotFound: Schema.TaggedStruct<"NotFound", {
  readonly what: Schema.Literals<
    readonly ["command", "workingDirectory", "interpreter", "engine", "image", "container"]
  >
  readonly path: Str
  readonly code: Opt
}> = Schema.TaggedStruct("NotFound", {
  what: Schema.Literals(["command", "workingDirectory", "interpreter", "engine", "image", "container"]),
  path: Schema.String,
  code: opt,
})

/**
 * Schema: the operating system or the runtime (Deno's `NotCapable`) refused (EACCES, EPERM).
 *
 * @example
 * ```ts
 * import { FaultReason } from "@sluice/shell"
 *
 * const reason = FaultReason.PermissionDenied.make({ path: "/root/run.sh", code: "EACCES" })
 * console.log(reason._tag) // PermissionDenied
 * ```
 *
 * @stability stable
 */
export const PermissionDenied: Schema.TaggedStruct<"PermissionDenied", { readonly path: Str; readonly code: Opt }> =
  Schema.TaggedStruct("PermissionDenied", { path: Schema.String, code: opt })

/**
 * Schema: the leaf's access policy refused; `policy` names the rule.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { AccessPolicy } from "@sluice/shell/access"
 * import { Effect } from "effect"
 *
 * const guarded = LocalShell.layer.pipe(AccessPolicy.guard(AccessPolicy.make({ allowedCommands: ["echo"] })))
 * const run = Shell.run(ShellExec.make`ls /`)
 * const { reason } = await Effect.runPromise(run.pipe(Effect.flip, Effect.provide(guarded)))
 * console.log(reason._tag) // NotAllowed
 * ```
 *
 * @stability stable
 */
export const NotAllowed: Schema.TaggedStruct<"NotAllowed", { readonly policy: Str; readonly value: Opt }> = Schema
  .TaggedStruct("NotAllowed", { policy: Schema.String, value: opt })

/**
 * Schema: no process can be made of this request; `field` says which part of it (E2BIG, ENOEXEC, a NUL, …).
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const run = Shell.run(ShellExec.make("echo", ["a\0b"]))
 * const { reason } = await Effect.runPromise(run.pipe(Effect.flip, Effect.provide(LocalShell.layer)))
 * console.log(reason._tag) // InvalidRequest
 * ```
 *
 * @stability stable
 */
export const InvalidRequest: Schema.TaggedStruct<"InvalidRequest", { readonly field: Str; readonly code: Opt }> = Schema
  .TaggedStruct("InvalidRequest", { field: Schema.String, code: opt })

/**
 * Schema: a time ran out and the tree was ended. `kind`: the whole run (`total`), silence (`idle`), or waiting for
 * a place (`queue`). `afterMillis` is the time that was allowed.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const run = Shell.run(ShellExec.make("sleep", [60], { timeout: "50 millis" }))
 * const { reason } = await Effect.runPromise(run.pipe(Effect.flip, Effect.provide(LocalShell.layer)))
 * console.log(reason._tag === "Timeout" && reason.kind === "total" && reason.afterMillis) // 50
 * ```
 *
 * @stability stable
 */
export const Timeout: Schema.TaggedStruct<"Timeout", {
  readonly kind: Schema.Literals<readonly ["total", "idle", "queue"]>
  readonly afterMillis: Num
}> = Schema.TaggedStruct("Timeout", {
  kind: Schema.Literals(["total", "idle", "queue"]),
  afterMillis: Schema.Finite,
})

/**
 * Schema: it was ended by an `AbortSignal`, a shutdown, or a client that went away; `by` names which.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const run = Shell.run(ShellExec.make`sleep 60`, { signal: AbortSignal.timeout(50) })
 * const { reason } = await Effect.runPromise(run.pipe(Effect.flip, Effect.provide(LocalShell.layer)))
 * console.log(reason._tag) // Cancelled
 * ```
 *
 * @stability stable
 */
export const Cancelled: Schema.TaggedStruct<"Cancelled", { readonly by: Opt }> = Schema.TaggedStruct("Cancelled", {
  by: opt,
})

/**
 * Schema: as many run and wait as the leaf admits.
 *
 * @example
 * ```ts
 * import { FaultReason } from "@sluice/shell"
 *
 * const reason = FaultReason.Throttled.make({ concurrencyLimit: 4, queueLimit: 100 })
 * console.log(reason._tag) // Throttled
 * ```
 *
 * @stability stable
 */
export const Throttled: Schema.TaggedStruct<"Throttled", {
  readonly concurrencyLimit: Num
  readonly queueLimit: Num
}> = Schema.TaggedStruct("Throttled", { concurrencyLimit: Schema.Finite, queueLimit: Schema.Finite })

/**
 * Schema: the machine is out of something: file descriptors (EMFILE), processes (EAGAIN), memory (ENOMEM).
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Schema } from "effect"
 *
 * const json = Shell.json(ShellExec.make("echo", ["[1, 2, 3]"], { maxOutputBytes: 2 }), Schema.Unknown)
 * const error = await Effect.runPromise(json.pipe(Effect.flip, Effect.provide(LocalShell.layer)))
 * console.log(error._tag === "ShellFault" && error.reason._tag) // ResourceExhausted
 * ```
 *
 * @stability stable
 */
export const ResourceExhausted: Schema.TaggedStruct<
  "ResourceExhausted",
  { readonly resource: Str; readonly code: Opt }
> = Schema.TaggedStruct("ResourceExhausted", { resource: Schema.String, code: opt })

/**
 * Schema: the process that ran the command is lost: it died, or its lease ran out. `host` is the machine it ran on and
 * `pid` its process id, where they are known. `ended`: how many processes of the command were still there, and were
 * found and ended; missing where the process table cannot be read (another machine, another container).
 *
 * @example
 * ```ts
 * import { FaultReason } from "@sluice/shell"
 *
 * const reason = FaultReason.HostLost.make({ host: "build-7", pid: 4242, ended: 2 })
 * console.log(reason._tag) // HostLost
 * ```
 *
 * @stability stable
 */
export const HostLost: Schema.TaggedStruct<
  "HostLost",
  { readonly host: Opt; readonly pid: OptCount; readonly ended: OptCount }
> = Schema.TaggedStruct("HostLost", { host: opt, pid: optCount, ended: optCount })

/**
 * Schema: the journal could not be written, so the command was not started, or was ended: nothing runs unrecorded.
 * `what` is the tag of the journal's error, `code` the error code of the store.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const shell = LocalShell.layer.pipe(JournaledShell.over(MemoryJournal.layer, { once: true }))
 * const run = Shell.run(ShellExec.make`echo hello`)
 * const { reason } = await Effect.runPromise(Effect.andThen(run, Effect.flip(run)).pipe(Effect.provide(shell)))
 * console.log(reason._tag === "JournalFailed" && reason.what) // Conflict
 * ```
 *
 * @stability stable
 */
export const JournalFailed: Schema.TaggedStruct<"JournalFailed", { readonly what: Str; readonly code: Opt }> = Schema
  .TaggedStruct("JournalFailed", { what: Schema.String, code: opt })

/**
 * Schema: none of the other reasons. `code` is the error code of the runtime; the fault's `exception` is its error. `tag`
 * is the tag of a reason that a later version wrote and this one does not know.
 *
 * @example
 * ```ts
 * import { FaultReason } from "@sluice/shell"
 *
 * const reason = FaultReason.Unknown.make({ code: "EIO" })
 * console.log(reason._tag) // Unknown
 * ```
 *
 * @stability stable
 */
export const Unknown: Schema.TaggedStruct<"Unknown", { readonly code: Opt; readonly tag: Opt }> = Schema.TaggedStruct(
  "Unknown",
  { code: opt, tag: opt },
)

const known = [
  NotFound,
  PermissionDenied,
  NotAllowed,
  InvalidRequest,
  Timeout,
  Cancelled,
  Throttled,
  ResourceExhausted,
  HostLost,
  JournalFailed,
  Unknown,
] as const

const knownTags: ReadonlySet<string> = new Set(known.map((member) => member.fields._tag.schema.literal))

/**
 * Schema of a reason that a later version wrote: decodes any other tag to {@link Unknown}, which keeps the tag and drops the
 * other fields. A known tag with fields of the wrong kind still fails.
 *
 * @example
 * ```ts
 * import { FaultReason } from "@sluice/shell"
 * import { Schema } from "effect"
 *
 * const reason = Schema.decodeUnknownSync(FaultReason.LaterReason)({ _tag: "OutOfPaper" })
 * console.log(reason._tag === "Unknown" && reason.tag) // OutOfPaper
 * ```
 *
 * @stability experimental
 */
export const LaterReason: Schema.Codec<typeof Unknown.Type, { readonly _tag: string }> = Schema.Struct({
  _tag: Schema.String.check(Schema.makeFilter((tag) => !knownTags.has(tag), { title: "a tag of a later version" })),
}).pipe(
  Schema.decodeTo(Schema.toType(Unknown), {
    decode: SchemaGetter.transform(({ _tag }: { readonly _tag: string }) => ({ _tag: "Unknown" as const, tag: _tag })),
    encode: SchemaGetter.transform(({ _tag }: typeof Unknown.Type): { readonly _tag: string } => ({ _tag })),
  }),
)

/**
 * Schema of the reason of a `ShellFault`.
 *
 * @example
 * ```ts
 * import { FaultReason } from "@sluice/shell"
 * import { Schema } from "effect"
 *
 * const reason = Schema.decodeUnknownSync(FaultReason.FaultReason)({ _tag: "Cancelled", by: "signal" })
 * console.log(reason._tag === "Cancelled" && reason.by) // signal
 * ```
 *
 * @stability stable
 */
export const FaultReason: Schema.Union<
  readonly [
    typeof NotFound,
    typeof PermissionDenied,
    typeof NotAllowed,
    typeof InvalidRequest,
    typeof Timeout,
    typeof Cancelled,
    typeof Throttled,
    typeof ResourceExhausted,
    typeof HostLost,
    typeof JournalFailed,
    typeof Unknown,
    typeof LaterReason,
  ]
> = Schema.Union([...known, LaterReason])

/**
 * The reason of a `ShellFault`.
 *
 * @stability stable
 */
export type FaultReason = typeof FaultReason.Type
