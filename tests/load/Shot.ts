/** The request to the load tool's process, and its answer. */
import * as Schema from "effect/Schema"

const Job = Schema.Struct({
  url: Schema.String,
  token: Schema.String,
  /** What the ids of its commands begin with. */
  name: Schema.String,
  /** A program and its first arguments; the last argument is the command's id, which it is to print. */
  command: Schema.Array(Schema.String),
  /** Requests in all, and the connections that make them. */
  amount: Schema.Number,
  connections: Schema.Number,
})

/** What it is to do. */
export type Job = typeof Job.Type

export const decodeJob = Schema.decodeUnknownSync(Schema.fromJsonString(Job))

const Shots = Schema.Struct({
  /** Requests that were made, including those whose answer was not read. */
  made: Schema.Number,
  /** Connections that broke or could not be made. */
  errors: Schema.Number,
  timeouts: Schema.Number,
  /** Answers by their status. */
  statuses: Schema.Record(Schema.String, Schema.Number),
  /** Answers with 200 that are not the command's own output, and the first few of those that are neither 200 nor 503. */
  wrong: Schema.Array(Schema.String),
})

/** What came of all requests. */
export type Shots = typeof Shots.Type

const Shot = Schema.Struct({
  /** The commands that were answered with 200 since it said so last. */
  ran: Schema.Array(Schema.String),
  shots: Schema.optionalKey(Shots),
})

/** How far it is; `shots` at the end. */
export type Shot = typeof Shot.Type

export const decodeShot = Schema.decodeUnknownSync(Schema.fromJsonString(Shot))

export const isRecord = (u: unknown): u is Readonly<Record<string, unknown>> => typeof u === "object" && u !== null
