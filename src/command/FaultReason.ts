/**
 * Declares the tagged reasons of a `ShellFault` as Schemas; decodes reasons of later versions as {@link Unknown}.
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
 * Schema: the program, its interpreter or the working directory does not exist (ENOENT, ENOTDIR); with containers also
 * the engine, the image or the container.
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

/** Schema: the operating system or the runtime (Deno's `NotCapable`) refused (EACCES, EPERM). */
export const PermissionDenied: Schema.TaggedStruct<"PermissionDenied", { readonly path: Str; readonly code: Opt }> =
  Schema.TaggedStruct("PermissionDenied", { path: Schema.String, code: opt })

/** Schema: the leaf's access policy refused; `policy` names the rule. */
export const NotAllowed: Schema.TaggedStruct<"NotAllowed", { readonly policy: Str; readonly value: Opt }> = Schema
  .TaggedStruct("NotAllowed", { policy: Schema.String, value: opt })

/** Schema: no process can be started from this request; `field` names the invalid part (E2BIG, ENOEXEC, a NUL, …). */
export const InvalidRequest: Schema.TaggedStruct<"InvalidRequest", { readonly field: Str; readonly code: Opt }> = Schema
  .TaggedStruct("InvalidRequest", { field: Schema.String, code: opt })

/**
 * Schema: a time limit expired and the tree was ended. `kind`: the limit of the whole run (`total`), of silence
 * (`idle`), or of waiting for a slot (`queue`). `afterMillis` is the limit.
 */
export const Timeout: Schema.TaggedStruct<"Timeout", {
  readonly kind: Schema.Literals<readonly ["total", "idle", "queue"]>
  readonly afterMillis: Num
}> = Schema.TaggedStruct("Timeout", {
  kind: Schema.Literals(["total", "idle", "queue"]),
  afterMillis: Schema.Finite,
})

/**
 * Schema: the command was ended by an `AbortSignal`, a shutdown, or a client that disconnected; `by` names the cause.
 */
export const Cancelled: Schema.TaggedStruct<"Cancelled", { readonly by: Opt }> = Schema.TaggedStruct("Cancelled", {
  by: opt,
})

/** Schema: the leaf's limits of running and waiting commands are reached. */
export const Throttled: Schema.TaggedStruct<"Throttled", {
  readonly maxConcurrency: Num
  readonly maxQueued: Num
}> = Schema.TaggedStruct("Throttled", { maxConcurrency: Schema.Finite, maxQueued: Schema.Finite })

/** Schema: the machine has run out of a resource: file descriptors (EMFILE), processes (EAGAIN), memory (ENOMEM). */
export const ResourceExhausted: Schema.TaggedStruct<
  "ResourceExhausted",
  { readonly resource: Str; readonly code: Opt }
> = Schema.TaggedStruct("ResourceExhausted", { resource: Schema.String, code: opt })

/**
 * Schema: the process that ran the command is lost: it died, or its lease ran out. `host` is the machine it ran on and
 * `pid` its process id, where they are known. `ended`: the number of remaining processes of the command that were found
 * and ended; missing where the process table cannot be read (another machine, another container).
 */
export const HostLost: Schema.TaggedStruct<
  "HostLost",
  { readonly host: Opt; readonly pid: OptCount; readonly ended: OptCount }
> = Schema.TaggedStruct("HostLost", { host: opt, pid: optCount, ended: optCount })

/**
 * Schema: the journal could not be written, so the command was not started, or was ended: nothing runs unrecorded.
 * `what` is the tag of the journal's error, `code` the error code of the store.
 */
export const JournalFailed: Schema.TaggedStruct<"JournalFailed", { readonly what: Str; readonly code: Opt }> = Schema
  .TaggedStruct("JournalFailed", { what: Schema.String, code: opt })

/**
 * Schema: none of the other reasons. `code` is the error code of the runtime; the fault's `exception` is its error.
 * `tag` is the tag of a reason that a later version wrote and this version does not know.
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

/** Schema of the reason of a `ShellFault`. */
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

export type FaultReason = typeof FaultReason.Type
