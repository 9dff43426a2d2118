/** The request to the process of many readers, and its answer. */
import * as Schema from "effect/Schema"

const CrowdJob = Schema.Struct({
  url: Schema.String,
  token: Schema.String,
  /** The command that is read. */
  id: Schema.String,
  /** Readers that read to the end; that vanish in the middle; that read one byte a second. */
  whole: Schema.Number,
  vanishing: Schema.Number,
  slow: Schema.Number,
})

/** What it is to do. */
export type CrowdJob = typeof CrowdJob.Type

export const decodeCrowdJob = Schema.decodeUnknownSync(Schema.fromJsonString(CrowdJob))

const Crowd = Schema.Struct({
  /** Readers that have got something. */
  begun: Schema.Number,
  /** Those that have come to the end, by a digest of all events that they got. */
  digests: Schema.Record(Schema.String, Schema.Number),
  vanished: Schema.Number,
  /** Those whose answer ended as none should, and why. */
  broken: Schema.Array(Schema.String),
  /** Bytes that the slowest of those that read one a second has read. */
  slowest: Schema.Number,
})

/** How far the readers are. */
export type Crowd = typeof Crowd.Type

export const decodeCrowd = Schema.decodeUnknownSync(Schema.fromJsonString(Crowd))
