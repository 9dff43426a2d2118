/** Defines the tagged errors of running code as Schemas, on three levels. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import { ExecutionReason, PreExecutionReason, ResourceReason } from "./CodeReason.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

type ErrorFields = {
  readonly commandId: typeof CommandId
  readonly language: typeof Schema.String
  readonly message: typeof Schema.String
}

const errorFields: ErrorFields = { commandId: CommandId, language: Schema.String, message: Schema.String }

export type OutputFields = {
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly stdoutBytes: typeof Schema.Int
  readonly stderrBytes: typeof Schema.Int
  readonly stdoutBytesOmitted: typeof Schema.Int
  readonly stderrBytesOmitted: typeof Schema.Int
}

export const outputFields: OutputFields = {
  stdout: Schema.String,
  stderr: Schema.String,
  stdoutBytes: Count,
  stderrBytes: Count,
  stdoutBytesOmitted: Count,
  stderrBytesOmitted: Count,
}

const PreExecutionBase: Schema.Class<
  PreExecutionError,
  Schema.TaggedStruct<"PreExecutionError", ErrorFields & { readonly reason: typeof PreExecutionReason }>,
  Cause.YieldableError
> = Schema.TaggedError<PreExecutionError>()("PreExecutionError", { ...errorFields, reason: PreExecutionReason })

/**
 * Level 1: the code was not started. The language is unknown, its interpreter, its version or the working directory does not
 * exist, the shell refuses, or no process can be started from the request. `message` has the form `exec: what happened (CODE)`.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const program = Code.run({ language: "cobol", code: "STOP RUN." }).pipe(Effect.flip, Effect.provide(LocalShell.layer))
 * const error = await Effect.runPromise(program)
 * console.log(error._tag === "PreExecutionError" && error.reason._tag) // UnknownLanguage
 * ```
 */
export class PreExecutionError extends PreExecutionBase {}

const ExecutionBase: Schema.Class<
  ExecutionError,
  Schema.TaggedStruct<
    "ExecutionError",
    ErrorFields & OutputFields & {
      readonly reason: typeof ExecutionReason
      readonly exitCode: typeof Schema.Int
      readonly signal: Schema.optionalKey<typeof Schema.String>
      readonly duration: typeof Schema.Finite
    }
  >,
  Cause.YieldableError
> = Schema.TaggedError<ExecutionError>()("ExecutionError", {
  ...errorFields,
  ...outputFields,
  reason: ExecutionReason,
  exitCode: Schema.Int,
  signal: Schema.optionalKey(Schema.String),
  duration: Schema.Finite,
})

/**
 * Level 2: the code ran to its own end and failed. `exitCode` is not 0; it is 128 + n if signal n ended the code, and
 * `signal` is then its name. `stdout` and `stderr` are the whole output; `duration` is in milliseconds.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const request = { language: "bash", code: "echo so far; exit 3" }
 * const error = await Effect.runPromise(Code.run(request).pipe(Effect.flip, Effect.provide(LocalShell.layer)))
 * console.log(error._tag === "ExecutionError" && error.exitCode === 3 && error.stdout) // so far
 * ```
 */
export class ExecutionError extends ExecutionBase {}

const ResourceBase: Schema.Class<
  ResourceError,
  Schema.TaggedStruct<
    "ResourceError",
    ErrorFields & OutputFields & {
      readonly reason: typeof ResourceReason
      readonly exitCode: Schema.optionalKey<typeof Schema.Int>
      readonly signal: Schema.optionalKey<typeof Schema.String>
      readonly duration: Schema.optionalKey<typeof Schema.Finite>
    }
  >,
  Cause.YieldableError
> = Schema.TaggedError<ResourceError>()("ResourceError", {
  ...errorFields,
  ...outputFields,
  reason: ResourceReason,
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  duration: Schema.optionalKey(Schema.Finite),
})

/**
 * Level 3: a resource was exhausted or the run was cut short: time, output, a limit, the machine, a cancellation.
 * `stdout` and `stderr` are the output so far; `exitCode` is set if the process ended by itself.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const request = { language: "bash", code: "sleep 10", timeout: "100 millis" } as const
 * const error = await Effect.runPromise(Code.run(request).pipe(Effect.flip, Effect.provide(LocalShell.layer)))
 * console.log(error._tag === "ResourceError" && error.reason._tag) // Timeout
 * ```
 */
export class ResourceError extends ResourceBase {}

/** Schema of all errors of running code. */
export const CodeError: Schema.Union<
  readonly [typeof PreExecutionError, typeof ExecutionError, typeof ResourceError]
> = Schema.Union([PreExecutionError, ExecutionError, ResourceError])

/**
 * Any error of running code.
 *
 * @stability stable
 */
export type CodeError = typeof CodeError.Type
