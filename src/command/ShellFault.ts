/**
 * Declares the error class of a command that could not be executed or did not run to its end, with its partial output;
 * makes and copies its errors, and declares the Schema of all events of a run.
 *
 * @module
 */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { CommandId } from "./CommandId.ts"
import { FaultReason } from "./FaultReason.ts"
import { ShellOutput, ShellOutputChunk, ShellOutputWindow } from "./ShellEvent.ts"

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const Base: Schema.Class<
  ShellFault,
  Schema.TaggedStruct<"ShellFault", {
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
  }>,
  Cause.YieldableError
> = Schema.TaggedError<ShellFault>()("ShellFault", {
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

/**
 * Output that was captured before a fault, within the budget, with its sizes in bytes.
 *
 * @example
 * ```ts
 * import { LocalShell, type PartialOutput, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const slow = ShellExec.shell("echo started; sleep 60", { timeout: "500ms" })
 * const fault = await Effect.runPromise(Effect.flip(Shell.run(slow)).pipe(Effect.provide(LocalShell.layer)))
 * const { stdout }: PartialOutput = fault
 * console.assert(stdout === "started\n")
 * ```
 *
 * @stability experimental
 */
export interface PartialOutput {
  /** Text that was written to stdout. */
  readonly stdout: string
  /** Text that was written to stderr. */
  readonly stderr: string
  /** Bytes that were written to stdout. */
  readonly stdoutBytes: number
  /** Bytes that were written to stderr. */
  readonly stderrBytes: number
  /** Of those bytes, how many are not in `stdout`. */
  readonly stdoutBytesOmitted: number
  /** Of those bytes, how many are not in `stderr`. */
  readonly stderrBytesOmitted: number
}

/**
 * The partial output of a command that wrote nothing.
 *
 * @example
 * ```ts
 * import { noOutput } from "@sluice/shell/leaf"
 *
 * console.assert(noOutput.stdout === "" && noOutput.stderrBytes === 0)
 * ```
 *
 * @stability experimental
 */
export const noOutput: PartialOutput = {
  stdout: "",
  stderr: "",
  stdoutBytes: 0,
  stderrBytes: 0,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
}

/** Inserts the survivors into a message, before the code at its end. */
const withSurvivors = (message: string, survivors: ReadonlyArray<number>): string =>
  message.replace(/(?= \(\w+\)$)|$/, `, but could not be ended whole: ${survivors.join(", ")} live on`)

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
 * console.assert((await Effect.runPromise(version))[0] === "install no-such-program first")
 * ```
 *
 * @stability stable
 */
export class ShellFault extends Base {
  /**
   * Makes a fault of a reason and a message, with the output that was captured before it (default: none).
   *
   * @example
   * ```ts
   * import { ShellFault } from "@sluice/shell"
   *
   * const fault = ShellFault.because("c1", { _tag: "NotAllowed", policy: "weekdays" }, "exec: only on weekdays (DENIED)")
   * console.assert(fault.reason._tag === "NotAllowed" && fault.stdout === "")
   * ```
   */
  static because(
    commandId: CommandId,
    reason: FaultReason,
    message: string,
    more?: Partial<PartialOutput> & {
      readonly executable?: string | undefined
      readonly exception?: unknown
      readonly survivors?: ReadonlyArray<number>
    },
  ): ShellFault {
    const { exception, executable, survivors = [], ...output } = more ?? {}
    return new ShellFault({
      commandId,
      reason,
      message: survivors.length === 0 ? message : withSurvivors(message, survivors),
      ...noOutput,
      ...output,
      ...(survivors.length === 0 ? undefined : { survivors }),
      ...(executable === undefined ? undefined : { executable }),
      ...(exception === undefined ? undefined : { exception: String(exception) }),
    })
  }
}

/** Copies a fault with some fields changed. */
export const withFaultFields = (
  fault: ShellFault,
  fields: Partial<PartialOutput & Pick<ShellFault, "commandId" | "reason" | "message">>,
  // `message` is not an enumerable property of an error: a spread alone would leave it out.
): ShellFault => new ShellFault({ ...fault, message: fault.message, ...fields })

/**
 * Schema of all events of a run: chunks, windows, and the event that ends it.
 *
 * @example
 * ```ts
 * import { ShellEvent, ShellOutputChunk } from "@sluice/shell"
 * import { Schema } from "effect"
 *
 * const chunk = ShellOutputChunk.make({ commandId: "c1", stream: "stdout", content: "hello\n", timestamp: 0, seq: 0 })
 * const json = JSON.stringify(Schema.encodeSync(ShellEvent)(chunk))
 * console.assert(Schema.decodeUnknownSync(ShellEvent)(JSON.parse(json))._tag === "ShellOutputChunk")
 * ```
 *
 * @stability stable
 */
export const ShellEvent: Schema.Union<
  readonly [typeof ShellOutputChunk, typeof ShellOutputWindow, typeof ShellOutput, typeof ShellFault]
> = Schema.Union([ShellOutputChunk, ShellOutputWindow, ShellOutput, ShellFault])

/**
 * An event of a run.
 *
 * @stability stable
 */
export type ShellEvent = typeof ShellEvent.Type
