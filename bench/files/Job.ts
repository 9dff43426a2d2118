/** The job of a measuring process. */
import * as Schema from "effect/Schema"

/** The job of a measuring process. */
export interface Job {
  /** Files of 1 MiB that are read or written, one after the other. */
  readonly large: number
  /** Files of 1 KiB, in folders of 100. */
  readonly small: number
  /** Files of 4 KiB that are searched, in folders of 100. */
  readonly searched: number
}

/** The job of a command line's argument. */
export const decodeJob: (text: string) => Job = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      large: Schema.Number,
      small: Schema.Number,
      searched: Schema.Number,
    }),
  ),
)
