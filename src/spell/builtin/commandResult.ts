/** Runs a command for a spell, and shapes its output for a model. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { defined } from "../../base/defined.ts"
import { noOutput, type PartialOutput } from "../../command/PartialOutput.ts"
import { ProcessTable } from "../ProcessTable.ts"
import { shapeOutput } from "../shapeOutput.ts"
import { argumentsHint } from "../../command/argumentsHint.ts"

/** UTF-16 units of stdout and of stderr in one answer. */
const maxLength = 16_384

/** Maximum bytes of each stream that are kept while a command runs, which `read_output` can return. */
export const maxKeptBytes = 524_288

type Optional<S extends Schema.Constraint> = Schema.optionalKey<S>

const outputFields = {
  stdout: Schema.String,
  stderr: Schema.String,
  outputId: Schema.optionalKey(Schema.String),
  bytesOmitted: Schema.optionalKey(Schema.Int),
}

/** Schema of the result of a command: `outputId` names the whole output for `read_output`. */
export const CommandResult: Schema.Struct<{
  readonly exitCode: typeof Schema.Int
  readonly signal: Optional<typeof Schema.String>
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly outputId: Optional<typeof Schema.String>
  readonly bytesOmitted: Optional<typeof Schema.Int>
}> = Schema.Struct({ exitCode: Schema.Int, signal: Schema.optionalKey(Schema.String), ...outputFields })

/** Schema of a command that did not end by itself, or did not start: its reason and its output so far. */
export const CommandFailure: Schema.TaggedStruct<"CommandFailure", {
  readonly reason: Schema.Struct<{ readonly _tag: typeof Schema.String }>
  readonly message: typeof Schema.String
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly outputId: Optional<typeof Schema.String>
  readonly bytesOmitted: Optional<typeof Schema.Int>
}> = Schema.TaggedStruct("CommandFailure", {
  reason: Schema.Struct({ _tag: Schema.String }),
  message: Schema.String,
  ...outputFields,
})

interface ShapedStreams {
  readonly stdout: string
  readonly stderr: string
  readonly outputId?: string
  readonly bytesOmitted?: number
}

/** The output of a command for a model. The rest that does not fit is kept in the context's process table, if there is one. */
const shapeStreams = (
  key: string,
  { stderr, stderrBytesOmitted, stdout, stdoutBytesOmitted }: PartialOutput,
): Effect.Effect<ShapedStreams> =>
  Effect.gen(function* () {
    const bytesOmitted = stdoutBytesOmitted + stderrBytesOmitted
    const lost = bytesOmitted === 0 ? {} : { bytesOmitted }
    if (stdout.length <= maxLength && stderr.length <= maxLength) return { stdout, stderr, ...lost }
    const table = yield* Effect.serviceOption(ProcessTable)
    const outputId = Option.isSome(table) ? yield* table.value.keep(key, `${stdout}${stderr}`) : undefined
    const shape = (text: string, start: number): string =>
      shapeOutput(text, maxLength, (omitted, at) => {
        const hint = outputId === undefined
          ? ""
          : `: read_output ${JSON.stringify({ id: outputId, position: start + at })}`
        return `${omitted} characters left out${hint}`
      }).text
    return {
      stdout: shape(stdout, 0),
      stderr: shape(stderr, stdout.length),
      ...defined({ outputId }),
      ...lost,
    }
  })

type Failure = { readonly reason: { readonly _tag: string }; readonly message: string } & Partial<PartialOutput>

export interface ProgramCall {
  readonly command: string
  readonly arguments: ReadonlyArray<string>
}

/**
 * The failure of a command for a model. If a program was not found, a hint corrects a call with arguments in `command`.
 */
export const toCommandFailure = (
  key: string,
  failure: Failure,
  call?: ProgramCall,
): Effect.Effect<typeof CommandFailure.Type> => {
  const { message, reason } = failure
  const hint = call && argumentsHint(reason, { command: call.command }, { arguments: call.arguments })
  return Effect.map(shapeStreams(key, { ...noOutput, ...failure }), (streams) =>
    CommandFailure.make({
      reason: { _tag: reason._tag },
      message: hint === undefined ? message : `${message}; ${hint}`,
      ...streams,
    }))
}

export const shapeCommand = <R>(
  key: string,
  command: Effect.Effect<
    PartialOutput & { readonly exitCode: number; readonly signal?: string | undefined },
    Failure,
    R
  >,
  call?: ProgramCall,
): Effect.Effect<typeof CommandResult.Type, typeof CommandFailure.Type, R> =>
  command.pipe(
    Effect.catch((failure) => Effect.flatMap(toCommandFailure(key, failure, call), Effect.fail)),
    Effect.flatMap((output) =>
      Effect.map(shapeStreams(key, output), (streams) => ({
        exitCode: output.exitCode,
        ...(output.signal === undefined ? undefined : { signal: output.signal }),
        ...streams,
      }))
    ),
  )
