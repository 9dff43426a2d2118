/** Declares the error of a patch that cannot be parsed or applied. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { defined } from "../base/defined.ts"
import type { TagUnion } from "../base/TagUnion.ts"

/** Schema of {@link FilePatchReason}. */
export const FilePatchReason: TagUnion<
  "Syntax" | "Unsupported" | "Missing" | "Exists" | "Conflict" | "Changed" | "TooLarge" | "NotRestored"
> = Schema.TaggedUnion({
  Syntax: {},
  Unsupported: {},
  Missing: {},
  Exists: {},
  Conflict: {},
  Changed: {},
  TooLarge: {},
  NotRestored: {},
})

/**
 * Reasons why a patch was refused: it cannot be parsed (`Syntax`), it needs something that is not supported here
 * (`Unsupported`), a file does not exist, or already does (`Missing`, `Exists`), its lines are not in the file (`Conflict`),
 * the file was changed meanwhile (`Changed`), or it is too large (`TooLarge`). After `NotRestored` some files are changed: a
 * write failed, and restoring the files before it failed too.
 */
export type FilePatchReason = typeof FilePatchReason.Type

const Base: Schema.Class<
  FilePatchError,
  Schema.TaggedStruct<"FilePatchError", {
    readonly reason: typeof FilePatchReason
    readonly line: typeof Schema.Int
    readonly path: Schema.optionalKey<typeof Schema.String>
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<FilePatchError>()("FilePatchError", {
  reason: FilePatchReason,
  line: Schema.Int,
  path: Schema.optionalKey(Schema.String),
  message: Schema.String,
})

/**
 * A patch that cannot be applied. No file is changed, except after `NotRestored`. `line` is the line of the patch, from
 * 1; 0 if no line is at fault.
 */
export class FilePatchError extends Base {}

export const patchError = (
  tag: FilePatchReason["_tag"],
  line: number,
  path: string | undefined,
  what: string,
): FilePatchError =>
  new FilePatchError({
    reason: { _tag: tag },
    line,
    ...defined({ path }),
    message: `patch${path === undefined ? "" : ` ${path}`}${line === 0 ? "" : ` (line ${line})`}: ${what}`,
  })
