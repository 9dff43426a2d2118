/**
 * What can be wrong with events that come from elsewhere.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

/** The fields of {@link WireError}, as Schemas. */
export type WireErrorFields = {
  readonly reason: Schema.Literals<
    readonly ["InvalidUtf8", "InvalidJson", "InvalidEvent", "LineTooLong", "Truncated"]
  >
  readonly message: typeof Schema.String
  readonly line: Schema.optionalKey<typeof Schema.Int>
}

const Base: Schema.Class<
  WireError,
  Schema.TaggedStruct<"WireError", WireErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<WireError>()("WireError", {
  reason: Schema.Literals(["InvalidUtf8", "InvalidJson", "InvalidEvent", "LineTooLong", "Truncated"]),
  message: Schema.String,
  line: Schema.optionalKey(Schema.Int),
})

/**
 * Bytes that are not the events they should be. Every event before them has been delivered when this error comes.
 *
 * - `InvalidUtf8`, `InvalidJson`: a line is not UTF-8, or not JSON.
 * - `InvalidEvent`: it is JSON, but not an event of this version of the wire.
 * - `LineTooLong`: a line (for SSE also: an event) is longer than the reader admits; the rest of it was not read.
 * - `Truncated`: the bytes ended before a run's last event, or within a line.
 *
 * `line` counts from 1. The message names the field that is wrong and never quotes what was read, so that it can be
 * logged when the output is secret.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const cut = Stream.make(new TextEncoder().encode(`{"_tag":"ShellOut`)).pipe(Wire.decodeNdjson, Stream.runCollect)
 * const error = await Effect.runPromise(Effect.flip(cut))
 * console.assert(error._tag === "WireError" && error.reason === "Truncated")
 * ```
 */
export class WireError extends Base {}

/** Why bytes are not events. */
export type WireErrorReason = WireError["reason"]
