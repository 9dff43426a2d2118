/**
 * Declares the tagged reasons of a `TerminalError` as Schemas.
 *
 * @module
 */
import * as Schema from "effect/Schema"

type Str = typeof Schema.String
type Num = typeof Schema.Finite

/** Schema: the registry has no session with this id: there never was one, or it ended and was removed. */
export const NotFound: Schema.TaggedStruct<"NotFound", { readonly id: Str }> = Schema.TaggedStruct("NotFound", {
  id: Schema.String,
})

/** Schema: the registry's maximum number of sessions is open. */
export const TooManySessions: Schema.TaggedStruct<"TooManySessions", { readonly maxSessions: Num }> = Schema
  .TaggedStruct(
    "TooManySessions",
    { maxSessions: Schema.Finite },
  )

/** Schema: the command of the session has ended; nothing can be typed or awaited any more. */
export const Ended: Schema.TaggedStruct<"Ended", { readonly exitCode: Schema.optionalKey<Num> }> = Schema.TaggedStruct(
  "Ended",
  { exitCode: Schema.optionalKey(Schema.Finite) },
)

/** Schema: the awaited text or silence did not appear in time. `screen` is the visible text at that moment. */
export const WaitTimeout: Schema.TaggedStruct<"WaitTimeout", { readonly afterMillis: Num; readonly screen: Str }> =
  Schema.TaggedStruct("WaitTimeout", { afterMillis: Schema.Finite, screen: Schema.String })

/** Schema: the program does not read its input, and the input buffer is full. `bytes` were not accepted. */
export const InputBlocked: Schema.TaggedStruct<"InputBlocked", { readonly bytes: Num }> = Schema.TaggedStruct(
  "InputBlocked",
  { bytes: Schema.Finite },
)

/**
 * Schema: an argument is out of its range: an unknown key, a size that no terminal has, a signal without a name.
 */
export const InvalidArgument: Schema.TaggedStruct<"InvalidArgument", { readonly argument: Str }> = Schema.TaggedStruct(
  "InvalidArgument",
  { argument: Schema.String },
)

/** Schema: a package that terminals need is not installed. */
export const Unavailable: Schema.TaggedStruct<"Unavailable", { readonly package: Str }> = Schema.TaggedStruct(
  "Unavailable",
  { package: Schema.String },
)

/** Schema: a reader of the whole output begins after more output than is kept: `chunks` of it are gone. */
export const OutputLost: Schema.TaggedStruct<"OutputLost", { readonly chunks: Num }> = Schema.TaggedStruct(
  "OutputLost",
  { chunks: Schema.Finite },
)

/** Schema of the reason of a `TerminalError`. */
export const TerminalErrorReason: Schema.Union<
  readonly [
    typeof NotFound,
    typeof TooManySessions,
    typeof Ended,
    typeof WaitTimeout,
    typeof InputBlocked,
    typeof InvalidArgument,
    typeof OutputLost,
    typeof Unavailable,
  ]
> = Schema.Union([
  NotFound,
  TooManySessions,
  Ended,
  WaitTimeout,
  InputBlocked,
  InvalidArgument,
  OutputLost,
  Unavailable,
])

/**
 * The reason of a `TerminalError`.
 *
 * @stability experimental
 */
export type TerminalErrorReason = typeof TerminalErrorReason.Type
