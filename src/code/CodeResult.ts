/** Defines the Schemas of the output of code and of one flat result for agents. */
import * as Schema from "effect/Schema"
import { defined } from "../base/defined.ts"
import { CommandId } from "../command/CommandId.ts"
import { noOutput } from "../command/ShellFault.ts"
import { type CodeError, type OutputFields, outputFields } from "./CodeError.ts"

/**
 * Schema of the output of code that exited with 0. `executable` is the file of the interpreter, `duration` is in
 * milliseconds; `stdout` and `stderr` are empty at the end of a stream, whose chunks contain the text.
 */
export const CodeOutput: Schema.TaggedStruct<
  "CodeOutput",
  {
    readonly commandId: typeof CommandId
    readonly language: typeof Schema.String
    readonly exitCode: typeof Schema.Int
    readonly executable: typeof Schema.String
    readonly duration: typeof Schema.Finite
  } & OutputFields
> = Schema.TaggedStruct("CodeOutput", {
  commandId: CommandId,
  language: Schema.String,
  exitCode: Schema.Int,
  ...outputFields,
  executable: Schema.String,
  duration: Schema.Finite,
})

/**
 * The output of code that exited with 0.
 *
 * @stability stable
 */
export type CodeOutput = typeof CodeOutput.Type

/** Schema of the level of an error: before the start, in the code, or in its resources. */
export const CodeErrorLevel: Schema.Literals<readonly ["pre-execution", "execution", "resource"]> = Schema.Literals([
  "pre-execution",
  "execution",
  "resource",
])

/**
 * The level of an error.
 *
 * @stability stable
 */
export type CodeErrorLevel = typeof CodeErrorLevel.Type

/**
 * Schema of one flat result for agents, for success and failure alike.
 *
 * - `success`: the code exited with 0 and its output is complete. - `exitCode`, `signal`: set if the process ended by
 * itself; 128 + n for signal n. - `error`: `exec: what happened (CODE)`. Not set if the code itself failed (level
 * `execution`): see its exit code and stderr. - `level`: the level of the error; not set on success. - `stdout`, `stderr`:
 * the kept output; `…BytesOmitted` counts the rest. `duration` is in milliseconds.
 */
export const CodeResult: Schema.Struct<
  {
    readonly success: typeof Schema.Boolean
    readonly exitCode: Schema.optionalKey<typeof Schema.Int>
    readonly signal: Schema.optionalKey<typeof Schema.String>
    readonly error: Schema.optionalKey<typeof Schema.String>
    readonly level: Schema.optionalKey<typeof CodeErrorLevel>
    readonly duration: Schema.optionalKey<typeof Schema.Finite>
    readonly language: typeof Schema.String
    readonly commandId: typeof CommandId
  } & OutputFields
> = Schema.Struct({
  success: Schema.Boolean,
  exitCode: Schema.optionalKey(Schema.Int),
  signal: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String),
  level: Schema.optionalKey(CodeErrorLevel),
  ...outputFields,
  duration: Schema.optionalKey(Schema.Finite),
  language: Schema.String,
  commandId: CommandId,
})

/**
 * One flat result of running code.
 *
 * @stability stable
 */
export type CodeResult = typeof CodeResult.Type

const levels: Readonly<Record<CodeError["_tag"], CodeErrorLevel>> = {
  PreExecutionError: "pre-execution",
  ExecutionError: "execution",
  ResourceError: "resource",
}

/**
 * Converts the output or the error of {@link run} into a flat result.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import * as Code from "@sluice/shell/code"
 * import { Effect } from "effect"
 *
 * const program = Code.run({ language: "bash", code: "exit 3" }).pipe(Effect.flip, Effect.map(Code.toResult))
 * const { exitCode, level, success } = await Effect.runPromise(Effect.provide(program, LocalShell.layer))
 * console.log(!success && level === "execution" && exitCode) // 3
 * ```
 */
export const toResult = (outcome: CodeOutput | CodeError): CodeResult => {
  const written = outcome._tag === "PreExecutionError" ? noOutput : outcome
  const { exitCode, signal, duration } = { exitCode: undefined, signal: undefined, duration: undefined, ...outcome }
  return {
    success: outcome._tag === "CodeOutput",
    ...defined({ exitCode, signal }),
    ...(outcome._tag === "CodeOutput" || outcome._tag === "ExecutionError" ? undefined : { error: outcome.message }),
    ...(outcome._tag === "CodeOutput" ? undefined : { level: levels[outcome._tag] }),
    stdout: written.stdout,
    stderr: written.stderr,
    stdoutBytes: written.stdoutBytes,
    stderrBytes: written.stderrBytes,
    stdoutBytesOmitted: written.stdoutBytesOmitted,
    stderrBytesOmitted: written.stderrBytesOmitted,
    ...defined({ duration }),
    language: outcome.language,
    commandId: outcome.commandId,
  }
}
