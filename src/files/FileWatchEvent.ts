/** Schemas of the events of a watched folder. */
import * as Schema from "effect/Schema"

/**
 * Schema of a change of a file or a folder. `path` counts from the root of the leaf. A rename is a `Deleted` and a
 * `Created`; a folder is `Created` and `Deleted`, each with all that is in it, and never `Modified`.
 */
export const FileChange: Schema.Struct<{
  readonly _tag: Schema.Literals<readonly ["Created", "Modified", "Deleted"]>
  readonly path: typeof Schema.String
  readonly isDirectory: typeof Schema.Boolean
}> = Schema.Struct({
  _tag: Schema.Literals(["Created", "Modified", "Deleted"]),
  path: Schema.String,
  isDirectory: Schema.Boolean,
})

/** A change of a file or a folder. */
export interface FileChange extends Schema.Schema.Type<typeof FileChange> {}

/**
 * Schema of lost notifications: the system's queue was full. The whole folder was compared again, and the events before this
 * one report the differences, except for files that were written and have the same size and time.
 */
export const FileWatchOverflow: Schema.TaggedStruct<"FileWatchOverflow", { readonly reason: typeof Schema.String }> =
  Schema
    .TaggedStruct("FileWatchOverflow", { reason: Schema.String })

/** The loss of notifications. */
export interface FileWatchOverflow extends Schema.Schema.Type<typeof FileWatchOverflow> {}

/** Schema of the events of a watched folder. */
export const FileWatchEvent: Schema.Union<readonly [typeof FileChange, typeof FileWatchOverflow]> = Schema.Union([
  FileChange,
  FileWatchOverflow,
])

/** An event of a watched folder. */
export type FileWatchEvent = typeof FileWatchEvent.Type
