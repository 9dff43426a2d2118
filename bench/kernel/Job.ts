/** The parameters of one measurement of the kernel. */
import * as Schema from "effect/Schema"

/** Schema: where the program is, and how much is to be done. */
export const Job: Schema.Struct<{
  readonly wasm: typeof Schema.String
  readonly native: typeof Schema.String
  readonly bytes: typeof Schema.Number
  readonly size: typeof Schema.Number
  readonly times: typeof Schema.Number
  readonly turns: typeof Schema.Number
}> = Schema.Struct({
  wasm: Schema.String,
  native: Schema.String,
  bytes: Schema.Number,
  size: Schema.Number,
  times: Schema.Number,
  turns: Schema.Number,
})

/** Where the program is, and how much is to be done. */
export type Job = typeof Job.Type

/** A job from its JSON. */
export const decodeJob: (json: string) => Job = Schema.decodeUnknownSync(
  Schema.fromJsonString(Job),
)
