/** Declares the error of a replacement that cannot be made. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { TagUnion } from "../base/TagUnion.ts"

const Reason: TagUnion<"NotFound" | "Ambiguous" | "NoChange" | "Empty" | "Changed"> = Schema.TaggedUnion({
  NotFound: {},
  Ambiguous: {},
  NoChange: {},
  Empty: {},
  Changed: {},
})

const Base: Schema.Class<
  FileEditError,
  Schema.TaggedStruct<"FileEditError", {
    readonly reason: typeof Reason
    readonly index: typeof Schema.Int
    readonly lines: Schema.$Array<typeof Schema.Int>
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<FileEditError>()("FileEditError", {
  reason: Reason,
  index: Schema.Int,
  lines: Schema.Array(Schema.Int),
  message: Schema.String,
})

/**
 * A replacement that cannot be made; the file is unchanged. `index` is the number of the replacement, from 0; `lines`
 * are the lines with its text (`Ambiguous`), or the most similar line (`NotFound`).
 */
export class FileEditError extends Base {}
