/**
 * The error of a request whose id is in use.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

/** The fields of {@link RequestOpen}, as Schemas. */
export type RequestOpenFields = {
  readonly correlationId: typeof Schema.String
  readonly position: typeof Schema.Int
  readonly message: typeof Schema.String
}

const Base: Schema.Class<
  RequestOpen,
  Schema.TaggedStruct<"RequestOpen", RequestOpenFields>,
  Cause.YieldableError
> = Schema.TaggedError<RequestOpen>()("RequestOpen", {
  correlationId: Schema.String,
  position: Schema.Int,
  message: Schema.String,
})

/** A request with this correlation id is open already: it stands at `position`, and has no last event yet. */
export class RequestOpen extends Base {
  /** Makes the error. */
  static at(correlationId: string, position: number): RequestOpen {
    const message = `journal: nothing was asked: the request ${correlationId} is open already, at ${position}`
    return new RequestOpen({ correlationId, position, message })
  }
}
