/** Declares the error of bytes that are not valid events, with its tagged reasons. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

/**
 * Schema of the reason why bytes are not valid events.
 *
 * - `InvalidUtf8`, `InvalidJson`: a line is not UTF-8, or not JSON.
 * - `InvalidEvent`: a line is JSON, but not an event of this or a newer wire version.
 * - `LineTooLong`: a line, the data of an event stream's event, or a frame has more than `maxLineBytes`; the rest was not read.
 * - `Truncated`: the bytes ended before a run's last event, or within a line.
 */
export const WireErrorReason: Schema.Union<
  readonly [
    Schema.TaggedStruct<"InvalidUtf8", {}>,
    Schema.TaggedStruct<"InvalidJson", {}>,
    Schema.TaggedStruct<"InvalidEvent", {}>,
    Schema.TaggedStruct<"LineTooLong", { readonly maxLineBytes: typeof Schema.Finite }>,
    Schema.TaggedStruct<"Truncated", {}>,
  ]
> = Schema.Union([
  Schema.TaggedStruct("InvalidUtf8", {}),
  Schema.TaggedStruct("InvalidJson", {}),
  Schema.TaggedStruct("InvalidEvent", {}),
  Schema.TaggedStruct("LineTooLong", { maxLineBytes: Schema.Finite }),
  Schema.TaggedStruct("Truncated", {}),
])

/** The reason why bytes are not valid events: see the Schema of this name. */
export type WireErrorReason = typeof WireErrorReason.Type

const Base: Schema.Class<
  WireError,
  Schema.TaggedStruct<"WireError", {
    readonly reason: typeof WireErrorReason
    readonly message: typeof Schema.String
    readonly line: Schema.optionalKey<typeof Schema.Int>
  }>,
  Cause.YieldableError
> = Schema.TaggedError<WireError>()("WireError", {
  reason: WireErrorReason,
  message: Schema.String,
  line: Schema.optionalKey(Schema.Int),
})

/**
 * Bytes that are not valid events. Every event before them has been emitted when this error occurs.
 *
 * `reason` is tagged, for `catchReason`. `line` counts lines (or frames) from 1. The message names the invalid field and
 * never quotes the data, so that it can be logged even if the output is secret.
 *
 * @example
 * ```ts
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const cut = Stream.make(new TextEncoder().encode(`{"_tag":"ShellOut`)).pipe(Wire.Ndjson.decode, Stream.runCollect)
 * const error = await Effect.runPromise(Effect.flip(cut))
 * console.log(error._tag === "WireError" && error.reason._tag) // Truncated
 * ```
 */
export class WireError extends Base {}
