/**
 * Defines the tagged reasons of the errors of running code as Schemas: seven of its own and, for each of the three
 * errors, a union of these with reasons of a `ShellFault`.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import {
  Cancelled,
  HostLost,
  InvalidRequest,
  JournalFailed,
  NotAllowed,
  NotFound,
  PermissionDenied,
  ResourceExhausted,
  Throttled,
  Timeout,
  Unknown,
} from "../command/FaultReason.ts"
import { OutputStream } from "../command/ShellEvent.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Schema: no interpreter is known for this language; `known` lists the known languages. */
export const UnknownLanguage: Schema.TaggedStruct<"UnknownLanguage", {
  readonly language: typeof Schema.String
  readonly known: Schema.$Array<typeof Schema.String>
}> = Schema.TaggedStruct("UnknownLanguage", { language: Schema.String, known: Schema.Array(Schema.String) })

/**
 * Schema: no interpreter of the requested `version` was found; `found` lists the installed versions, the highest first.
 */
export const VersionNotFound: Schema.TaggedStruct<"VersionNotFound", {
  readonly version: typeof Schema.String
  readonly found: Schema.$Array<typeof Schema.String>
}> = Schema.TaggedStruct("VersionNotFound", { version: Schema.String, found: Schema.Array(Schema.String) })

/** Schema: the code ended with an exit code other than 0. */
export const Exited: Schema.TaggedStruct<"Exited", { readonly exitCode: typeof Schema.Int }> = Schema.TaggedStruct(
  "Exited",
  { exitCode: Schema.Int },
)

/**
 * Schema: a signal that this package did not send ended the process: a crash, or the system ran out of memory.
 */
export const Crashed: Schema.TaggedStruct<"Crashed", { readonly signal: typeof Schema.String }> = Schema.TaggedStruct(
  "Crashed",
  { signal: Schema.String },
)

/** Schema: the output exceeded the maximum and lost its middle. Bytes of both streams together. */
export const OutputExceeded: Schema.TaggedStruct<"OutputExceeded", {
  readonly maxOutputBytes: typeof Schema.Int
  readonly bytesOmitted: typeof Schema.Int
}> = Schema.TaggedStruct("OutputExceeded", { maxOutputBytes: Count, bytesOmitted: Count })

/** Schema: a stream is not UTF-8; `offset` is its first invalid byte, counted from 0. */
export const BinaryOutput: Schema.TaggedStruct<"BinaryOutput", {
  readonly stream: typeof OutputStream
  readonly offset: typeof Schema.Int
}> = Schema.TaggedStruct("BinaryOutput", { stream: OutputStream, offset: Count })

/** Schema: the system ended the process because it exceeded a limit of the request. */
export const LimitExceeded: Schema.TaggedStruct<"LimitExceeded", {
  readonly limit: Schema.Literals<readonly ["cpuSeconds", "fileSizeBytes", "memoryBytes"]>
  readonly value: typeof Schema.Int
}> = Schema.TaggedStruct("LimitExceeded", {
  limit: Schema.Literals(["cpuSeconds", "fileSizeBytes", "memoryBytes"]),
  value: Count,
})

/** Schema of the reasons of `PreExecutionError`. */
export const PreExecutionReason: Schema.Union<
  readonly [
    typeof UnknownLanguage,
    typeof VersionNotFound,
    typeof NotFound,
    typeof PermissionDenied,
    typeof NotAllowed,
    typeof InvalidRequest,
    typeof Throttled,
  ]
> = Schema.Union([UnknownLanguage, VersionNotFound, NotFound, PermissionDenied, NotAllowed, InvalidRequest, Throttled])

/**
 * Reason of a `PreExecutionError`.
 *
 * @stability stable
 */
export type PreExecutionReason = typeof PreExecutionReason.Type

/** Schema of the reasons of `ExecutionError`. */
export const ExecutionReason: Schema.Union<readonly [typeof Exited, typeof Crashed]> = Schema.Union([Exited, Crashed])

/**
 * Reason of an `ExecutionError`.
 *
 * @stability stable
 */
export type ExecutionReason = typeof ExecutionReason.Type

/** Schema of the reasons of `ResourceError`. */
export const ResourceReason: Schema.Union<
  readonly [
    typeof Timeout,
    typeof OutputExceeded,
    typeof BinaryOutput,
    typeof LimitExceeded,
    typeof ResourceExhausted,
    typeof Cancelled,
    typeof HostLost,
    typeof JournalFailed,
    typeof Unknown,
  ]
> = Schema.Union([
  Timeout,
  OutputExceeded,
  BinaryOutput,
  LimitExceeded,
  ResourceExhausted,
  Cancelled,
  HostLost,
  JournalFailed,
  Unknown,
])

/**
 * Reason of a `ResourceError`.
 *
 * @stability stable
 */
export type ResourceReason = typeof ResourceReason.Type
