/** Declares the error of a request to an execution server, with its tagged reasons. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import type { ShellFault } from "../command/ShellFault.ts"
import { Problem } from "../wire/serverAnswers.ts"

/**
 * Schema of the reason why a request to an execution server failed.
 *
 * - `NotSent`: no request could be made: the URL, the token or a header is invalid.
 * - `Unreachable`: no answer arrived, or the connection broke during it. The request may have taken effect.
 * - `Refused`: the server answered with an error or a redirection. `status` is the HTTP status, `problem` the body of an
 *   execution server (missing when something in front of it answered), `retryAfterMillis` its `Retry-After`.
 * - `Malformed`: the answer does not follow the protocol.
 */
export const RemoteErrorReason: Schema.Union<
  readonly [
    Schema.TaggedStruct<"NotSent", {}>,
    Schema.TaggedStruct<"Unreachable", {}>,
    Schema.TaggedStruct<"Refused", {
      readonly status: typeof Schema.Int
      readonly problem: Schema.optionalKey<typeof Problem>
      readonly retryAfterMillis: Schema.optionalKey<typeof Schema.Finite>
    }>,
    Schema.TaggedStruct<"Malformed", {}>,
  ]
> = Schema.Union([
  Schema.TaggedStruct("NotSent", {}),
  Schema.TaggedStruct("Unreachable", {}),
  Schema.TaggedStruct("Refused", {
    status: Schema.Int,
    problem: Schema.optionalKey(Problem),
    retryAfterMillis: Schema.optionalKey(Schema.Finite),
  }),
  Schema.TaggedStruct("Malformed", {}),
])

/**
 * The reason why a request to an execution server failed: see the Schema of this name.
 *
 * @stability stable
 */
export type RemoteErrorReason = typeof RemoteErrorReason.Type

const Base: Schema.Class<
  RemoteError,
  Schema.TaggedStruct<
    "RemoteError",
    { readonly reason: typeof RemoteErrorReason; readonly message: typeof Schema.String }
  >,
  Cause.YieldableError
> = Schema.TaggedError<RemoteError>()("RemoteError", { reason: RemoteErrorReason, message: Schema.String })

/**
 * A request to an execution server that failed. `reason` is tagged (`NotSent`, `Unreachable`, `Refused`, `Malformed`),
 * for `catchReason`. The faults of commands are {@link ShellFault}s.
 *
 * @example
 * ```ts
 * import { RemoteClient } from "@sluice/shell/remote"
 * import { Effect } from "effect"
 *
 * const state = RemoteClient.make({ url: "http://127.0.0.1:1/", token: "s3cret" }).pipe(
 *   Effect.flatMap((client) => client.command("c1")),
 *   Effect.map(({ state }): string => state),
 *   Effect.catchReason("RemoteError", "Unreachable", () => Effect.succeed("no answer"))
 * )
 * console.log(await Effect.runPromise(state)) // no answer
 * ```
 */
export class RemoteError extends Base {}

/** The HTTP status of a refused request; `undefined` for any other error. */
export const statusOf = (error: RemoteError | ShellFault): number | undefined =>
  error._tag === "RemoteError" && error.reason._tag === "Refused" ? error.reason.status : undefined
