/** The job of a measuring process. */
import * as Schema from "effect/Schema"

/** The job of a measuring process. */
export interface Job {
  /** Requests in all, and connections that make them. */
  readonly requests: number
  readonly connections: number
  /** Bytes of lines that a command writes, and the program that does. */
  readonly lineBytes: number
  readonly writer: string
}

/** The job of a command line's argument. */
export const decodeJob: (text: string) => Job = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      requests: Schema.Number,
      connections: Schema.Number,
      lineBytes: Schema.Number,
      writer: Schema.String,
    }),
  ),
)
