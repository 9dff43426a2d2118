/**
 * Schemas of the output of code, and of one flat result for agents.
 *
 * @module
 */
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"
import { noOutput } from "../command/ShellFault.ts"
import { type CodeError, type WrittenFields, writtenFields } from "./CodeError.ts"

/** The fields of {@link CodeOutput}, as Schemas. */
export type CodeOutputFields = WrittenFields & {
  readonly commandId: typeof CommandId
  readonly language: typeof Schema.String
  readonly exitCode: typeof Schema.Int
  readonly executable: typeof Schema.String
  readonly duration: typeof Schema.Finite
}

/**
 * Schema of code that ran to its end and exited with 0. `executable` is the interpreter's file, `duration` is
 * milliseconds; `stdout` and `stderr` are empty at the end of a stream, whose chunks had it all.
 */
export const CodeOutput: Schema.TaggedStruct<"CodeOutput", CodeOutputFields> = Schema.TaggedStruct("CodeOutput", {
  commandId: CommandId,
  language: Schema.String,
  exitCode: Schema.Int,
  ...writtenFields,
  executable: Schema.String,
  duration: Schema.Finite,
})

/** Code that ran to its end and exited with 0. */
export type CodeOutput = typeof CodeOutput.Type

/** The level of an error: nothing was started, the code failed, or something ran out. */
export const CodeErrorLevel: Schema.Literals<readonly ["pre-execution", "execution", "resource"]> = Schema.Literals([
  "pre-execution",
  "execution",
  "resource",
])

/** The level of an error. */
export type CodeErrorLevel = typeof CodeErrorLevel.Type

/** The fields of {@link CodeResult}, as Schemas. */
export type CodeResultFields =
  & {
    readonly success: typeof Schema.Boolean
    readonly exitCode: Schema.optionalKey<typeof Schema.Int>
    readonly signal: Schema.optionalKey<typeof Schema.String>
    readonly error: Schema.optionalKey<typeof Schema.String>
    readonly level: Schema.optionalKey<typeof CodeErrorLevel>
  }
  & WrittenFields
  & {
    readonly duration: Schema.optionalKey<typeof Schema.Finite>
    readonly language: typeof Schema.String
    readonly commandId: typeof CommandId
  }

/**
 * Schema of one flat result, for agents: it is there whatever happened.
 *
 * - `success`: the code ran to its end, exited with 0, and all it wrote is here.
 * - `exitCode`, `signal`: how the process ended, where it did by itself; 128 + n for signal n.
 * - `error`: what happened, as `exec: what happened (CODE)`. Not there when the code itself failed (level `execution`):
 *   then its exit code and its stderr say so.
 * - `level`: which of the three levels; not there on success.
 * - `stdout`, `stderr`: as far as they are kept, which is what `…BytesOmitted` counts; `duration` in milliseconds.
 *
 * Source: exec Architecture, "Error Handling Hierarchy".
 */
export const CodeResult: Schema.Struct<CodeResultFields> = Schema.Struct({
  success: Schema.Boolean,
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String),
  level: Schema.optionalKey(CodeErrorLevel),
  ...writtenFields,
  duration: Schema.optionalKey(Schema.Finite),
  language: Schema.String,
  commandId: CommandId,
})

/** One flat result of running code. */
export type CodeResult = typeof CodeResult.Type

const levels: Readonly<Record<CodeError["_tag"], CodeErrorLevel>> = {
  PreExecutionError: "pre-execution",
  ExecutionError: "execution",
  ResourceError: "resource",
}

/** The flat result of what {@link run} comes to: its output, or its error. */
export const toResult = (outcome: CodeOutput | CodeError): CodeResult => {
  const written = outcome._tag === "PreExecutionError" ? noOutput : outcome
  const { exitCode, signal, duration } = { exitCode: undefined, signal: undefined, duration: undefined, ...outcome }
  return {
    success: outcome._tag === "CodeOutput",
    ...(exitCode === undefined ? undefined : { exitCode }),
    ...(signal === undefined ? undefined : { signal }),
    ...(outcome._tag === "CodeOutput" || outcome._tag === "ExecutionError" ? undefined : { error: outcome.message }),
    ...(outcome._tag === "CodeOutput" ? undefined : { level: levels[outcome._tag] }),
    stdout: written.stdout,
    stderr: written.stderr,
    stdoutBytes: written.stdoutBytes,
    stderrBytes: written.stderrBytes,
    stdoutBytesOmitted: written.stdoutBytesOmitted,
    stderrBytesOmitted: written.stderrBytesOmitted,
    ...(duration === undefined ? undefined : { duration }),
    language: outcome.language,
    commandId: outcome.commandId,
  }
}
