/** Declares the error of a snapshot that cannot be taken or restored. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { TagUnion } from "../base/TagUnion.ts"

const Reason: TagUnion<"Changed" | "Missing" | "Mismatch" | "TooMany"> = Schema.TaggedUnion({
  Changed: {},
  Missing: {},
  Mismatch: {},
  TooMany: {},
})

const Base: Schema.Class<
  FileSnapshotError,
  Schema.TaggedStruct<"FileSnapshotError", {
    readonly reason: typeof Reason
    readonly paths: Schema.$Array<typeof Schema.String>
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<FileSnapshotError>()("FileSnapshotError", {
  reason: Reason,
  paths: Schema.Array(Schema.String),
  message: Schema.String,
})

/**
 * A snapshot that cannot be taken or restored. `Changed`: a file was written while it was read. `Missing`: the store lacks
 * contents, and nothing was changed. `Mismatch`: the folder differs from the snapshot after it was restored. `TooMany`: the
 * folder has more entries than allowed.
 */
export class FileSnapshotError extends Base {}

const maxPaths = 10

export const snapshotError = (
  tag: FileSnapshotError["reason"]["_tag"],
  paths: ReadonlyArray<string>,
  what: string,
): FileSnapshotError => {
  const named = paths.slice(0, maxPaths).join(", ")
  const more = paths.length > maxPaths ? ` and ${paths.length - maxPaths} more` : ""
  return new FileSnapshotError({ reason: { _tag: tag }, paths, message: `snapshot: ${what}: ${named}${more}` })
}
