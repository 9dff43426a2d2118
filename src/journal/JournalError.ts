/**
 * What can go wrong with a journal.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

type Opt = Schema.optionalKey<typeof Schema.String>

const opt: Opt = Schema.optionalKey(Schema.String)

/** Schema: the medium is full (ENOSPC, EDQUOT, SQLITE_FULL, a bounded memory journal); nothing was written. */
export const Full: Schema.TaggedStruct<"Full", { readonly code: Opt }> = Schema.TaggedStruct("Full", { code: opt })

/** Schema: it may be read and not written (EACCES, EROFS, SQLITE_READONLY). */
export const ReadOnly: Schema.TaggedStruct<"ReadOnly", { readonly code: Opt }> = Schema.TaggedStruct("ReadOnly", {
  code: opt,
})

/** Schema: another writer held it for longer than this one was told to wait. `by` says who, where that is known. */
export const Locked: Schema.TaggedStruct<"Locked", { readonly by: Opt; readonly code: Opt }> = Schema.TaggedStruct(
  "Locked",
  { by: opt, code: opt },
)

/**
 * Schema: what was read is not what was written. `position` is the first that does not hold, where one can be named;
 * `what` says how: a hash, a gap, a line, a page of the file.
 */
export const Corrupt: Schema.TaggedStruct<"Corrupt", {
  readonly what: typeof Schema.String
  readonly position: Schema.optionalKey<typeof Schema.Int>
  readonly code: Opt
}> = Schema.TaggedStruct("Corrupt", {
  what: Schema.String,
  position: Schema.optionalKey(Schema.Int),
  code: opt,
})

/** Schema: it cannot be reached now (a server that is down, ECONNREFUSED); trying again may help. */
export const Unavailable: Schema.TaggedStruct<"Unavailable", { readonly code: Opt }> = Schema.TaggedStruct(
  "Unavailable",
  { code: opt },
)

/** Schema: it is not there, and may not be made (ENOENT). */
export const Missing: Schema.TaggedStruct<"Missing", { readonly path: typeof Schema.String; readonly code: Opt }> =
  Schema.TaggedStruct("Missing", { path: Schema.String, code: opt })

/** Schema: an append condition does not hold: the entry at `position` is one that must not be there. */
export const Conflict: Schema.TaggedStruct<"Conflict", { readonly position: typeof Schema.Int }> = Schema.TaggedStruct(
  "Conflict",
  { position: Schema.Int },
)

/** Schema: entries that were asked for were pruned; what is left starts after `through`. */
export const Pruned: Schema.TaggedStruct<"Pruned", { readonly through: typeof Schema.Int }> = Schema.TaggedStruct(
  "Pruned",
  { through: Schema.Int },
)

/** Schema: an entry, option or request that no journal takes; `field` says which part. */
export const Invalid: Schema.TaggedStruct<"Invalid", { readonly field: typeof Schema.String }> = Schema.TaggedStruct(
  "Invalid",
  { field: Schema.String },
)

/** Schema: it was written by a version that this one does not know. */
export const TooNew: Schema.TaggedStruct<"TooNew", {
  readonly version: typeof Schema.Int
  readonly known: typeof Schema.Int
}> = Schema.TaggedStruct("TooNew", { version: Schema.Int, known: Schema.Int })

/** Schema: it was closed, or its Scope was. */
export const Closed: Schema.TaggedStruct<"Closed", {}> = Schema.TaggedStruct("Closed", {})

/** Schema: none of the others; `code` and `exception` say what the store said. */
export const Failed: Schema.TaggedStruct<"Failed", { readonly code: Opt }> = Schema.TaggedStruct("Failed", {
  code: opt,
})

/** Schema of why a journal could not do what was asked. */
export const JournalErrorReason: Schema.Union<
  readonly [
    typeof Full,
    typeof ReadOnly,
    typeof Locked,
    typeof Corrupt,
    typeof Unavailable,
    typeof Missing,
    typeof Conflict,
    typeof Pruned,
    typeof Invalid,
    typeof TooNew,
    typeof Closed,
    typeof Failed,
  ]
> = Schema.Union([
  Full,
  ReadOnly,
  Locked,
  Corrupt,
  Unavailable,
  Missing,
  Conflict,
  Pruned,
  Invalid,
  TooNew,
  Closed,
  Failed,
])

/** Why a journal could not do what was asked. */
export type JournalErrorReason = typeof JournalErrorReason.Type

/** The fields of {@link JournalError}, as Schemas. */
export type JournalErrorFields = {
  readonly reason: typeof JournalErrorReason
  readonly message: typeof Schema.String
  readonly exception: Opt
}

const Base: Schema.Class<
  JournalError,
  Schema.TaggedStruct<"JournalError", JournalErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<JournalError>()("JournalError", {
  reason: JournalErrorReason,
  message: Schema.String,
  exception: opt,
})

/**
 * The one error of journals. `message` reads `journal: what was tried, and what happened (CODE)`, for people and models,
 * and never quotes an entry; `exception` is what the store threw, as text.
 *
 * When an append fails with it, none of its entries is in the journal; only after `Unavailable` that may be unknown, and
 * then the message says so.
 */
export class JournalError extends Base {
  /** Makes an error of a reason and a message. */
  static because(reason: JournalErrorReason, message: string, exception?: unknown): JournalError {
    return new JournalError({
      reason,
      message,
      ...(exception === undefined ? undefined : { exception: String(exception) }),
    })
  }
}
