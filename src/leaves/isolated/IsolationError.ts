/** Declares the error of a machine on which no engine can isolate commands. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

const Base: Schema.Class<
  IsolationError,
  Schema.TaggedStruct<"IsolationError", {
    readonly attempts: Schema.$Array<Schema.Struct<{ readonly engine: Schema.String; readonly message: Schema.String }>>
    readonly message: Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<IsolationError>()("IsolationError", {
  attempts: Schema.Array(Schema.Struct({ engine: Schema.String, message: Schema.String })),
  message: Schema.String,
})

/**
 * No engine can isolate commands on this machine: a layer with this error has run nothing. `attempts` has the message of
 * each engine, and `message` also what to do.
 *
 * @example
 * ```ts
 * import { IsolationError } from "@sluice/shell/isolated"
 *
 * const attempts = [{ engine: "bwrap", message: "No permissions to create new namespace" }]
 * const error = new IsolationError({ attempts, message: "enable user namespaces" })
 * console.log(error._tag === "IsolationError" && error.attempts[0]?.engine) // bwrap
 * ```
 */
export class IsolationError extends Base {}
