/** Declares the error of a search that cannot be made. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { TagUnion } from "../base/TagUnion.ts"

const Reason: TagUnion<"InvalidPattern" | "InvalidOption" | "Unavailable"> = Schema.TaggedUnion({
  InvalidPattern: {},
  InvalidOption: {},
  Unavailable: {},
})

const Base: Schema.Class<
  FileSearchError,
  Schema.TaggedStruct<"FileSearchError", {
    readonly reason: typeof Reason
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<FileSearchError>()("FileSearchError", {
  reason: Reason,
  message: Schema.String,
})

/**
 * A search that cannot be made: a pattern that is no regular expression of RE2, an option out of its range, or the package
 * `re2js` that is not installed.
 */
export class FileSearchError extends Base {}

export const searchError = (tag: FileSearchError["reason"]["_tag"], what: string): FileSearchError =>
  new FileSearchError({ reason: { _tag: tag }, message: `search: ${what}` })
