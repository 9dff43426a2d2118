/** Declares the error class of a command that did not run to its end, and the Schema of all events of a run. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { CommandId } from "./CommandId.ts"
import { FaultReason } from "./FaultReason.ts"
import { attachSchema } from "./plain/attachSchema.ts"
import { faultParser, ShellFault as PlainFault } from "./plain/ShellFault.ts"
import type { PartialOutput } from "./PartialOutput.ts"
import { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "./ShellEvent.ts"

export { noOutput, type PartialOutput } from "./PartialOutput.ts"
export { withFaultFields } from "./plain/ShellFault.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

type ShellFaultBase = Schema.TaggedStruct<"ShellFault", {
  readonly commandId: typeof CommandId
  readonly reason: typeof FaultReason
  readonly message: typeof Schema.String
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly stdoutBytes: typeof Schema.Int
  readonly stderrBytes: typeof Schema.Int
  readonly stdoutBytesOmitted: typeof Schema.Int
  readonly stderrBytesOmitted: typeof Schema.Int
  readonly executable: Schema.optionalKey<typeof Schema.String>
  readonly exception: Schema.optionalKey<typeof Schema.String>
  readonly survivors: Schema.optionalKey<Schema.$Array<typeof Schema.Int>>
}>

const struct: ShellFaultBase = Schema.TaggedStruct("ShellFault", {
  commandId: CommandId,
  reason: FaultReason,
  message: Schema.String,
  stdout: Schema.String,
  stderr: Schema.String,
  stdoutBytes: Count,
  stderrBytes: Count,
  stdoutBytesOmitted: Count,
  stderrBytesOmitted: Count,
  executable: Schema.optionalKey(Schema.String),
  exception: Schema.optionalKey(Schema.String),
  survivors: Schema.optionalKey(Schema.Array(Count)),
})

export interface ShellFault extends Schema.Schema.Type<ShellFaultBase>, Cause.YieldableError {
  /** Describes the fault, for people and models. */
  readonly message: string
}

/** The Schema class of {@link ShellFault}, with its constructors. */
export interface ShellFaultClass extends Schema.Class<ShellFault, ShellFaultBase, Cause.YieldableError> {
  /** The type of an instance, to which `instanceof` narrows. */
  readonly prototype: ShellFault
  /**
   * Makes a fault of a reason and a message, with the output that was captured before it (default: none).
   *
   * @example
   * ```ts
   * import { ShellFault } from "@sluice/shell"
   *
   * const fault = ShellFault.because("c1", { _tag: "NotAllowed", policy: "weekdays" }, "exec: only on weekdays (DENIED)")
   * console.log(fault.reason._tag === "NotAllowed" && fault.stdout === "") // true
   * ```
   */
  readonly because: (
    commandId: CommandId,
    reason: FaultReason,
    message: string,
    more?: Partial<PartialOutput> & {
      readonly executable?: string | undefined
      readonly exception?: unknown
      readonly survivors?: ReadonlyArray<number>
    },
  ) => ShellFault
}

const withSchema = (plain: { readonly prototype: ShellFault } & Pick<ShellFaultClass, "because">): ShellFaultClass => {
  const schema: Schema.Class<ShellFault, ShellFaultBase, Cause.YieldableError> = Schema.Error<ShellFault>("ShellFault")(
    struct,
  )
  faultParser.parse = (fields, options) => struct.make(fields, options)
  attachSchema<typeof schema>(plain, schema)
  return plain
}

/**
 * A command that could not be executed, or not to its end. An exit code is never a fault.
 *
 * `reason` is tagged, for `catchReason`; `message` reads `exec: what happened (CODE)`, for people and models;
 * `stdout` and `stderr` hold what was written before (a streamed command: the last 64 KiB of each, or `maxOutputBytes`);
 * `survivors` are the ids of processes of the command that could not be ended (they may not be signalled, or hang in the
 * kernel), where there are any; `exception` is what the runtime threw, as text. Encodes to JSON and back.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { LocalShell } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const version = Shell.exec(ShellExec.make("no-such-program")).pipe(
 *   Stream.catchReason("ShellFault", "NotFound", (reason) => Stream.succeed(`install ${reason.path} first`)),
 *   Stream.runCollect,
 *   Effect.provide(LocalShell.layer)
 * )
 * console.log((await Effect.runPromise(version))[0]) // install no-such-program first
 * ```
 */
export const ShellFault: ShellFaultClass = withSchema(PlainFault)

/** Schema of all events of a run: chunks, windows, and the event that ends it. */
export const ShellEvent: Schema.Union<
  readonly [typeof ShellOutputChunk, typeof ShellOutputWindow, typeof ShellOutput, typeof ShellFault]
> = Schema.Union([ShellOutputChunk, ShellOutputWindow, ShellOutput, ShellFault])

export type ShellEvent = typeof ShellEvent.Type
