/** Declares the error of a request whose correlation id belongs to an open request. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

const Base: Schema.Class<
  RequestOpenError,
  Schema.TaggedStruct<"RequestOpenError", {
    readonly correlationId: typeof Schema.String
    readonly position: typeof Schema.Int
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<RequestOpenError>()("RequestOpenError", {
  correlationId: Schema.String,
  position: Schema.Int,
  message: Schema.String,
})

/**
 * A request with this correlation id is already open: it is at `position`, and has no last event yet.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 *
 * const error = Branch.RequestOpenError.at("build-17", 4)
 * console.log(error._tag === "RequestOpenError" && error.position) // 4
 * ```
 */
export class RequestOpenError extends Base {
  static at(correlationId: string, position: number): RequestOpenError {
    const message = `journal: nothing was appended: the request ${correlationId} is open already, at ${position}`
    return new RequestOpenError({ correlationId, position, message })
  }
}
