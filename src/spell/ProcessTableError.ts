/** Declares the error of a process table. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { TagUnion } from "../base/TagUnion.ts"

const Reason: TagUnion<"UnknownId" | "TooMany" | "NoInput" | "InputFull" | "Closed"> = Schema.TaggedUnion({
  UnknownId: {},
  TooMany: {},
  NoInput: {},
  InputFull: {},
  Closed: {},
})

const Base: Schema.Class<
  ProcessTableError,
  Schema.TaggedStruct<"ProcessTableError", {
    readonly reason: typeof Reason
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<ProcessTableError>()("ProcessTableError", { reason: Reason, message: Schema.String })

/** A request to a process that cannot be fulfilled. `message` tells a model what to do instead. */
export class ProcessTableError extends Base {}
