/**
 * Defines the Schemas of the tagged reasons of {@link JournalError}, such as `Full`, `Locked` and `Corrupt`.
 *
 * @module
 */
import * as Schema from "effect/Schema"

const optionalString: Schema.optionalKey<typeof Schema.String> = Schema.optionalKey(Schema.String)

/** The medium is full (ENOSPC, EDQUOT, SQLITE_FULL, a bounded memory journal); nothing was written. */
export const Full: Schema.TaggedStruct<"Full", { readonly code: Schema.optionalKey<typeof Schema.String> }> = Schema
  .TaggedStruct("Full", { code: optionalString })

/** The journal may be read but not written (EACCES, EROFS, SQLITE_READONLY). */
export const ReadOnly: Schema.TaggedStruct<"ReadOnly", { readonly code: Schema.optionalKey<typeof Schema.String> }> =
  Schema.TaggedStruct("ReadOnly", {
    code: optionalString,
  })

/**
 * Another writer held the journal for longer than the configured wait. `by` names the writer, where it is known.
 */
export const Locked: Schema.TaggedStruct<
  "Locked",
  { readonly by: Schema.optionalKey<typeof Schema.String>; readonly code: Schema.optionalKey<typeof Schema.String> }
> = Schema.TaggedStruct(
  "Locked",
  { by: optionalString, code: optionalString },
)

/**
 * The data that was read is not the data that was written. `position` is the first affected position, where it is
 * known; `what` describes the damage: a hash, a gap, a line, a page of the file.
 */
export const Corrupt: Schema.TaggedStruct<"Corrupt", {
  readonly what: typeof Schema.String
  readonly position: Schema.optionalKey<typeof Schema.Int>
  readonly code: Schema.optionalKey<typeof Schema.String>
}> = Schema.TaggedStruct("Corrupt", {
  what: Schema.String,
  position: Schema.optionalKey(Schema.Int),
  code: optionalString,
})

/** The store cannot be reached now (a server that is down, ECONNREFUSED); a retry may succeed. */
export const Unavailable: Schema.TaggedStruct<
  "Unavailable",
  { readonly code: Schema.optionalKey<typeof Schema.String> }
> = Schema.TaggedStruct(
  "Unavailable",
  { code: optionalString },
)

/** The file does not exist and was not created (ENOENT). */
export const Missing: Schema.TaggedStruct<
  "Missing",
  { readonly path: typeof Schema.String; readonly code: Schema.optionalKey<typeof Schema.String> }
> = Schema.TaggedStruct("Missing", { path: Schema.String, code: optionalString })

/** An append condition does not hold: the entry at `position` matches `noneOf`. */
export const Conflict: Schema.TaggedStruct<"Conflict", { readonly position: typeof Schema.Int }> = Schema.TaggedStruct(
  "Conflict",
  { position: Schema.Int },
)

/** The requested entries were pruned; the journal now starts after `through`. */
export const Pruned: Schema.TaggedStruct<"Pruned", { readonly through: typeof Schema.Int }> = Schema.TaggedStruct(
  "Pruned",
  { through: Schema.Int },
)

/** An entry, option or request is invalid; `field` names the part. */
export const Invalid: Schema.TaggedStruct<"Invalid", { readonly field: typeof Schema.String }> = Schema.TaggedStruct(
  "Invalid",
  { field: Schema.String },
)

/** The journal was written by a newer version than `known`, the newest that this one reads. */
export const TooNew: Schema.TaggedStruct<"TooNew", {
  readonly version: typeof Schema.Int
  readonly known: typeof Schema.Int
}> = Schema.TaggedStruct("TooNew", { version: Schema.Int, known: Schema.Int })

/** The journal, or its Scope, was closed. */
export const Closed: Schema.TaggedStruct<"Closed", {}> = Schema.TaggedStruct("Closed", {})

/** Any other failure; `code` and the error's `exception` hold what the store reported. */
export const Failed: Schema.TaggedStruct<"Failed", { readonly code: Schema.optionalKey<typeof Schema.String> }> = Schema
  .TaggedStruct("Failed", {
    code: optionalString,
  })

/** Schema of every reason. */
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

/**
 * The reason why a journal operation failed.
 *
 * @stability stable
 */
export type JournalErrorReason = typeof JournalErrorReason.Type
