/**
 * What can go wrong between a client and an execution server.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { Problem } from "../wire/protocol.ts"

/** The fields of {@link HttpError}, as Schemas. */
export type HttpErrorFields = {
  readonly reason: Schema.Literals<readonly ["NotSent", "Unreachable", "Refused", "Malformed"]>
  readonly message: typeof Schema.String
  readonly status: Schema.optionalKey<typeof Schema.Int>
  readonly problem: Schema.optionalKey<typeof Problem>
  readonly retryAfterMillis: Schema.optionalKey<typeof Schema.Finite>
}

const Base: Schema.Class<
  HttpError,
  Schema.TaggedStruct<"HttpError", HttpErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<HttpError>()("HttpError", {
  reason: Schema.Literals(["NotSent", "Unreachable", "Refused", "Malformed"]),
  message: Schema.String,
  status: Schema.optionalKey(Schema.Int),
  problem: Schema.optionalKey(Problem),
  retryAfterMillis: Schema.optionalKey(Schema.Finite),
})

/**
 * What went wrong that is no fault of a command.
 *
 * - `NotSent`: there is no request that could be sent: the URL, the token or a header is none.
 * - `Unreachable`: there was no answer, or it broke off. Nobody knows whether the request took effect.
 * - `Refused`: the server answered with an error, or with a redirection: `status`, and what it said about it in `problem`;
 *   `retryAfterMillis` when it said when to come back. Without `problem` it was something before the server that answered.
 * - `Malformed`: the answer is not one of this protocol.
 *
 * @example
 * ```ts
 * import { makeShellHttpClient } from "@sluice/shell/remote"
 * import { Effect } from "effect"
 *
 * const client = makeShellHttpClient({ url: "http://127.0.0.1:1/", token: "s3cret" })
 * const error = await Effect.runPromise(Effect.flip(client.command("c1")))
 * console.assert(error._tag === "HttpError" && error.reason === "Unreachable")
 * ```
 */
export class HttpError extends Base {}
