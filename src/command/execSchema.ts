/** Declares the Schema of the fields of a command. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CommandId } from "./CommandId.ts"
import { CommandInput } from "./CommandInput.ts"
import { CommandLimits } from "./CommandLimits.ts"
import { Word } from "./Secret.ts"

/** A finite time limit above zero. No limit is expressed by omission. */
export const Time: typeof Schema.DurationFromMillis = Schema.DurationFromMillis.check(
  Schema.makeFilter((time: Duration.Duration) => {
    const millis = Duration.toMillis(time)
    return Number.isFinite(millis) && millis > 0 ? undefined : "a finite time above zero"
  }),
)

/** As {@link Time}, or zero: end it at once. */
export const Grace: typeof Schema.DurationFromMillis = Schema.DurationFromMillis.check(
  Schema.makeFilter((time: Duration.Duration) => {
    const millis = Duration.toMillis(time)
    return Number.isFinite(millis) && millis >= 0 ? undefined : "a finite time, zero or above"
  }),
)

const NonNegative: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Whether a command whose process is lost ends with a fault, or runs again. */
export const OnHostLoss: Schema.Literals<readonly ["fault", "rerun"]> = Schema.Literals(["fault", "rerun"])

export type OnHostLoss = typeof OnHostLoss.Type

/**
 * The shell that runs a script: that of the leaf's machine, or that of this package, which needs no shell on the
 * machine.
 *
 * @stability experimental
 */
export const ScriptShell: Schema.Literals<readonly ["system", "portable"]> = Schema.Literals(["system", "portable"])

export type ScriptShell = typeof ScriptShell.Type

export type ExecSchema = Schema.TaggedStruct<"ShellExec", {
  readonly commandId: Schema.withDecodingDefaultKey<typeof CommandId>
  readonly command: typeof Schema.String
  readonly arguments: Schema.withDecodingDefaultKey<Schema.$Array<typeof Word>>
  readonly workingDirectory: Schema.optionalKey<typeof Schema.String>
  readonly environment: Schema.optionalKey<Schema.$Record<typeof Schema.String, Schema.NullOr<typeof Word>>>
  readonly inheritEnvironment: Schema.optionalKey<typeof Schema.Boolean>
  readonly timeout: Schema.optionalKey<typeof Schema.DurationFromMillis>
  readonly idleTimeout: Schema.optionalKey<typeof Schema.DurationFromMillis>
  readonly grace: Schema.optionalKey<typeof Schema.DurationFromMillis>
  readonly streamOutput: Schema.withDecodingDefaultKey<typeof Schema.Boolean>
  readonly useShell: Schema.withDecodingDefaultKey<typeof Schema.Boolean>
  readonly shell: Schema.optionalKey<typeof ScriptShell>
  readonly mergeStreams: Schema.optionalKey<typeof Schema.Boolean>
  readonly localBin: Schema.optionalKey<typeof Schema.Boolean>
  readonly encoding: Schema.optionalKey<typeof Schema.String>
  readonly input: Schema.optionalKey<typeof CommandInput>
  readonly maxOutputBytes: Schema.optionalKey<typeof Schema.Int>
  readonly limits: Schema.optionalKey<typeof CommandLimits>
  readonly onHostLoss: Schema.optionalKey<typeof OnHostLoss>
}>

/** The fields of a command, in the order in which an instance and its JSON have them. */
export const execSchema: ExecSchema = Schema.TaggedStruct("ShellExec", {
  commandId: CommandId.pipe(Schema.withDecodingDefaultKey(Effect.sync(() => CommandId.make()))),
  command: Schema.String,
  arguments: Schema.Array(Word).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  workingDirectory: Schema.optionalKey(Schema.String),
  environment: Schema.optionalKey(Schema.Record(Schema.String, Schema.NullOr(Word))),
  inheritEnvironment: Schema.optionalKey(Schema.Boolean),
  timeout: Schema.optionalKey(Time),
  idleTimeout: Schema.optionalKey(Time),
  grace: Schema.optionalKey(Grace),
  streamOutput: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  useShell: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  shell: Schema.optionalKey(ScriptShell),
  mergeStreams: Schema.optionalKey(Schema.Boolean),
  localBin: Schema.optionalKey(Schema.Boolean),
  encoding: Schema.optionalKey(Schema.String),
  input: Schema.optionalKey(CommandInput),
  maxOutputBytes: Schema.optionalKey(NonNegative),
  limits: Schema.optionalKey(CommandLimits),
  onHostLoss: Schema.optionalKey(OnHostLoss),
})
