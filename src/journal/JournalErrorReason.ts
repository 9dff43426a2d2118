/**
 * Defines the Schemas of the tagged reasons of {@link JournalError}, such as `Full`, `Locked` and `Corrupt`.
 *
 * @module
 */
import * as Schema from "effect/Schema"

const optionalString: Schema.optionalKey<typeof Schema.String> = Schema.optionalKey(Schema.String)

/**
 * The medium is full (ENOSPC, EDQUOT, SQLITE_FULL, a bounded memory journal); nothing was written.
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const layer = MemoryJournal.layerWith({ maxEntries: 1, whenFull: "fail" })
 * const { reason } = await Effect.runPromise(Journal.append([draft, draft]).pipe(Effect.flip, Effect.provide(layer)))
 * console.log(reason._tag) // Full
 * ```
 *
 * @stability stable
 */
export const Full: Schema.TaggedStruct<"Full", { readonly code: Schema.optionalKey<typeof Schema.String> }> = Schema
  .TaggedStruct("Full", { code: optionalString })

/**
 * The journal may be read but not written (EACCES, EROFS, SQLITE_READONLY).
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 *
 * console.log(JournalErrorReason.ReadOnly.make({ code: "EROFS" })._tag) // ReadOnly
 * ```
 *
 * @stability stable
 */
export const ReadOnly: Schema.TaggedStruct<"ReadOnly", { readonly code: Schema.optionalKey<typeof Schema.String> }> =
  Schema.TaggedStruct("ReadOnly", {
    code: optionalString,
  })

/**
 * Another writer held the journal for longer than the configured wait. `by` names the writer, where it is known.
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 *
 * console.log(JournalErrorReason.Locked.make({ by: "process 4242" }).by) // process 4242
 * ```
 *
 * @stability stable
 */
export const Locked: Schema.TaggedStruct<
  "Locked",
  { readonly by: Schema.optionalKey<typeof Schema.String>; readonly code: Schema.optionalKey<typeof Schema.String> }
> = Schema.TaggedStruct(
  "Locked",
  { by: optionalString, code: optionalString },
)

/**
 * What was read is not what was written. `position` is the first affected one, where it is known; `what` describes the
 * damage: a hash, a gap, a line, a page of the file.
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Journal.append([{ branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }]).pipe(
 *   Effect.andThen(Effect.flip(Journal.verify({ expect: { position: 1, hash: "f".repeat(64) } }))),
 *   Effect.provide(MemoryJournal.layer),
 * )
 * const { reason } = await Effect.runPromise(program)
 * console.log(reason._tag === "Corrupt" && reason.position) // 1
 * ```
 *
 * @stability stable
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

/**
 * The store cannot be reached now (a server that is down, ECONNREFUSED); a retry may succeed.
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 *
 * console.log(JournalErrorReason.Unavailable.make({ code: "ECONNREFUSED" })._tag) // Unavailable
 * ```
 *
 * @stability stable
 */
export const Unavailable: Schema.TaggedStruct<
  "Unavailable",
  { readonly code: Schema.optionalKey<typeof Schema.String> }
> = Schema.TaggedStruct(
  "Unavailable",
  { code: optionalString },
)

/**
 * The file does not exist and was not created (ENOENT).
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 *
 * console.log(JournalErrorReason.Missing.make({ path: "runs.ndjson", code: "ENOENT" }).path) // runs.ndjson
 * ```
 *
 * @stability stable
 */
export const Missing: Schema.TaggedStruct<
  "Missing",
  { readonly path: typeof Schema.String; readonly code: Schema.optionalKey<typeof Schema.String> }
> = Schema.TaggedStruct("Missing", { path: Schema.String, code: optionalString })

/**
 * An append condition does not hold: the entry at `position` matches `noneOf`.
 *
 * @example
 * ```ts
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const draft = { branch: "notes", correlationId: "n1", body: { _tag: "Noted" } }
 * const once = Journal.append([draft], { condition: { after: 0, noneOf: { correlationId: "n1" } } })
 * const { reason } = await Effect.runPromise(
 *   Effect.andThen(once, Effect.flip(once)).pipe(Effect.provide(MemoryJournal.layer)),
 * )
 * console.log(reason._tag === "Conflict" && reason.position) // 1
 * ```
 *
 * @stability stable
 */
export const Conflict: Schema.TaggedStruct<"Conflict", { readonly position: typeof Schema.Int }> = Schema.TaggedStruct(
  "Conflict",
  { position: Schema.Int },
)

/**
 * The requested entries were pruned; the journal now starts after `through`.
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 *
 * console.log(JournalErrorReason.Pruned.make({ through: 1000 }).through) // 1000
 * ```
 *
 * @stability stable
 */
export const Pruned: Schema.TaggedStruct<"Pruned", { readonly through: typeof Schema.Int }> = Schema.TaggedStruct(
  "Pruned",
  { through: Schema.Int },
)

/**
 * An entry, option or request is invalid; `field` names the part.
 *
 * @example
 * ```ts
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const error = await Effect.runPromise(MemoryJournal.make({ maxEntries: 0 }).pipe(Effect.scoped, Effect.flip))
 * console.log(error.reason._tag === "Invalid" && error.reason.field) // maxEntries
 * ```
 *
 * @stability stable
 */
export const Invalid: Schema.TaggedStruct<"Invalid", { readonly field: typeof Schema.String }> = Schema.TaggedStruct(
  "Invalid",
  { field: Schema.String },
)

/**
 * The journal was written by a newer version than `known`, the newest that this one reads.
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 *
 * console.log(JournalErrorReason.TooNew.make({ version: 3, known: 2 }).version) // 3
 * ```
 *
 * @stability stable
 */
export const TooNew: Schema.TaggedStruct<"TooNew", {
  readonly version: typeof Schema.Int
  readonly known: typeof Schema.Int
}> = Schema.TaggedStruct("TooNew", { version: Schema.Int, known: Schema.Int })

/**
 * The journal, or its Scope, was closed.
 *
 * @example
 * ```ts
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const closed = await Effect.runPromise(Effect.scoped(MemoryJournal.make()))
 * const { reason } = await Effect.runPromise(Effect.flip(closed.read()))
 * console.log(reason._tag) // Closed
 * ```
 *
 * @stability stable
 */
export const Closed: Schema.TaggedStruct<"Closed", {}> = Schema.TaggedStruct("Closed", {})

/**
 * Any other failure; `code` and the error's `exception` hold what the store reported.
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 *
 * console.log(JournalErrorReason.Failed.make({ code: "EIO" }).code) // EIO
 * ```
 *
 * @stability stable
 */
export const Failed: Schema.TaggedStruct<"Failed", { readonly code: Schema.optionalKey<typeof Schema.String> }> = Schema
  .TaggedStruct("Failed", {
    code: optionalString,
  })

/**
 * Schema of every reason.
 *
 * @example
 * ```ts
 * import { JournalErrorReason } from "@sluice/shell/journal"
 * import { Schema } from "effect"
 *
 * const reason = Schema.decodeUnknownSync(JournalErrorReason.JournalErrorReason)({ _tag: "Conflict", position: 7 })
 * console.log(reason._tag === "Conflict" && reason.position) // 7
 * ```
 *
 * @stability stable
 */
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
 * Why a journal operation failed.
 *
 * @stability stable
 */
export type JournalErrorReason = typeof JournalErrorReason.Type
