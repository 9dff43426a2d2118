/**
 * Tagged errors of running code, on three levels: before the start, in the code, in its resources.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import { ExecutionReason, PreExecutionReason, ResourceReason } from "./CodeReason.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What every error has. */
export type ErrorFields = {
  readonly commandId: typeof CommandId
  readonly language: typeof Schema.String
  readonly message: typeof Schema.String
}

const errorFields: ErrorFields = { commandId: CommandId, language: Schema.String, message: Schema.String }

/** What code wrote, as far as it is kept, with its sizes in bytes. */
export type WrittenFields = {
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly stdoutBytes: typeof Schema.Int
  readonly stderrBytes: typeof Schema.Int
  readonly stdoutBytesOmitted: typeof Schema.Int
  readonly stderrBytesOmitted: typeof Schema.Int
}

/** {@link WrittenFields}, as Schemas. */
export const writtenFields: WrittenFields = {
  stdout: Schema.String,
  stderr: Schema.String,
  stdoutBytes: Count,
  stderrBytes: Count,
  stdoutBytesOmitted: Count,
  stderrBytesOmitted: Count,
}

/** The fields of {@link PreExecutionError}, as Schemas. */
export type PreExecutionErrorFields = ErrorFields & { readonly reason: typeof PreExecutionReason }

const PreExecutionBase: Schema.Class<
  PreExecutionError,
  Schema.TaggedStruct<"PreExecutionError", PreExecutionErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<PreExecutionError>()("PreExecutionError", { ...errorFields, reason: PreExecutionReason })

/**
 * Level 1: nothing was started. The language is not known, its interpreter or the working directory is not there, the
 * leaf refuses, or no process can be made of the request. `message` reads `exec: what happened (CODE)`.
 */
export class PreExecutionError extends PreExecutionBase {}

/** The fields of {@link ExecutionError}, as Schemas. */
export type ExecutionErrorFields = ErrorFields & WrittenFields & {
  readonly reason: typeof ExecutionReason
  readonly exitCode: typeof Schema.Int
  readonly signal: Schema.optionalKey<typeof Schema.String>
  readonly duration: typeof Schema.Finite
}

const ExecutionBase: Schema.Class<
  ExecutionError,
  Schema.TaggedStruct<"ExecutionError", ExecutionErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<ExecutionError>()("ExecutionError", {
  ...errorFields,
  ...writtenFields,
  reason: ExecutionReason,
  exitCode: Schema.Int,
  signal: Schema.optionalKey(Schema.String),
  duration: Schema.Finite,
})

/**
 * Level 2: the code ran to its own end, and failed. `exitCode` is not 0; 128 + n when signal n ended it, and then
 * `signal` names it. `stdout` and `stderr` are all it wrote; `duration` is milliseconds.
 */
export class ExecutionError extends ExecutionBase {}

/** The fields of {@link ResourceError}, as Schemas. */
export type ResourceErrorFields = ErrorFields & WrittenFields & {
  readonly reason: typeof ResourceReason
  readonly exitCode: Schema.optionalKey<typeof Schema.Int>
  readonly signal: Schema.optionalKey<typeof Schema.String>
  readonly duration: Schema.optionalKey<typeof Schema.Finite>
}

const ResourceBase: Schema.Class<
  ResourceError,
  Schema.TaggedStruct<"ResourceError", ResourceErrorFields>,
  Cause.YieldableError
> = Schema.TaggedError<ResourceError>()("ResourceError", {
  ...errorFields,
  ...writtenFields,
  reason: ResourceReason,
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  duration: Schema.optionalKey(Schema.Finite),
})

/**
 * Level 3: something ran out, or the run was cut short: time, output, a limit, the machine, the caller's patience. What
 * there is of the output is in `stdout` and `stderr`; `exitCode` is there when the process ended by itself.
 */
export class ResourceError extends ResourceBase {}

/** Schema of everything that can go wrong with code. */
export const CodeError: Schema.Union<
  readonly [typeof PreExecutionError, typeof ExecutionError, typeof ResourceError]
> = Schema.Union([PreExecutionError, ExecutionError, ResourceError])

/** Everything that can go wrong with code. */
export type CodeError = typeof CodeError.Type
