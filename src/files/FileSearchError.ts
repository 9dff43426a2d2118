/** Declares the error of a search that cannot be made. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

const Base: Schema.Class<
  FileSearchError,
  Schema.TaggedStruct<"FileSearchError", {
    readonly reason: Schema.Literals<readonly ["InvalidPattern", "InvalidOption", "Unavailable"]>
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<FileSearchError>()("FileSearchError", {
  reason: Schema.Literals(["InvalidPattern", "InvalidOption", "Unavailable"]),
  message: Schema.String,
})

/**
 * A search that cannot be made: a pattern that is no regular expression of RE2, an option out of its range, or the package
 * `re2js` that is not installed.
 */
export class FileSearchError extends Base {}

export const searchError = (reason: FileSearchError["reason"], what: string): FileSearchError =>
  new FileSearchError({ reason, message: `search: ${what}` })
