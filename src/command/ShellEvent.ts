/** Declares the Schemas of the events of a command that ran. */
import * as Schema from "effect/Schema"
import { CommandId } from "./CommandId.ts"

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMillis = number

/** The name of an output stream. A merged stream is `"stdout"`. */
export type OutputStream = "stdout" | "stderr"

/** Schema of {@link OutputStream}. */
export const OutputStream: Schema.Literals<readonly ["stdout", "stderr"]> = Schema.Literals(["stdout", "stderr"])

const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/**
 * Schema of a piece of output.
 *
 * `content` is decoded text, line ends as they came; it ends at the end of a line, unless 100 ms have passed or the
 * line is very long. `timestamp` (ms since 1970) is when it was read. `seq` counts from 0 across both streams, in order
 * of arrival: two pipes cannot tell the order in which the program wrote (see `mergeStreams`).
 */
export const ShellOutputChunk: Schema.TaggedStruct<"ShellOutputChunk", {
  readonly commandId: typeof CommandId
  readonly stream: typeof OutputStream
  readonly content: typeof Schema.String
  readonly timestamp: typeof Schema.Int
  readonly seq: typeof Schema.Int
}> = Schema.TaggedStruct(
  "ShellOutputChunk",
  { commandId: CommandId, stream: OutputStream, content: Schema.String, timestamp: Count, seq: Count },
)

export interface ShellOutputChunk extends Schema.Schema.Type<typeof ShellOutputChunk> {}

/** Schema of how one stage of a pipeline ended. */
export const StageExit: Schema.Struct<{
  readonly commandId: typeof CommandId
  readonly command: typeof Schema.String
  readonly exitCode: typeof Schema.Int
  readonly signal: Schema.optionalKey<typeof Schema.String>
}> = Schema.Struct({
  commandId: CommandId,
  command: Schema.String,
  exitCode: Schema.Int,
  signal: Schema.optionalKey(Schema.String),
})

export interface StageExit extends Schema.Schema.Type<typeof StageExit> {}

/**
 * Schema of the last event of a command that ran to its end, whatever its exit code.
 *
 * - `exitCode`: 0 to 255 (Windows: 32 bits); 128 + n when signal n ended it, and then `signal` names it.
 * - `stdout`, `stderr`: the whole output when `streamOutput` is false, within the budget; else empty.
 * - `duration`: milliseconds from the spawn. `completed`: ms since 1970.
 * - `drain`: `"eof"` when both pipes were closed, `"cut"` when a process left behind still held one.
 * - `executable`: the file that ran, as far as the leaf could resolve it.
 * - `stdoutBytes`, `stderrBytes`: bytes written; `…BytesOmitted`: of those, left out of `stdout` and `stderr`
 *   (for a streamed command nothing is left out: every byte went through the chunks).
 * - `stages`: for a pipeline, how each stage ended.
 */
export const ShellOutput: Schema.TaggedStruct<"ShellOutput", {
  readonly commandId: typeof CommandId
  readonly exitCode: typeof Schema.Int
  readonly signal: Schema.optionalKey<typeof Schema.String>
  readonly stdout: typeof Schema.String
  readonly stderr: typeof Schema.String
  readonly duration: typeof Schema.Finite
  readonly completed: typeof Schema.Int
  readonly drain: Schema.Literals<readonly ["eof", "cut"]>
  readonly executable: typeof Schema.String
  readonly stdoutBytes: typeof Schema.Int
  readonly stderrBytes: typeof Schema.Int
  readonly stdoutBytesOmitted: typeof Schema.Int
  readonly stderrBytesOmitted: typeof Schema.Int
  readonly stages: Schema.optionalKey<Schema.$Array<typeof StageExit>>
}> = Schema.TaggedStruct("ShellOutput", {
  commandId: CommandId,
  exitCode: Schema.Int,
  signal: Schema.optionalKey(Schema.String),
  stdout: Schema.String,
  stderr: Schema.String,
  duration: Schema.Finite,
  completed: Count,
  drain: Schema.Literals(["eof", "cut"]),
  executable: Schema.String,
  stdoutBytes: Count,
  stderrBytes: Count,
  stdoutBytesOmitted: Count,
  stderrBytesOmitted: Count,
  stages: Schema.optionalKey(Schema.Array(StageExit)),
})

export interface ShellOutput extends Schema.Schema.Type<typeof ShellOutput> {}

/**
 * Schema of a window: the output that a windowing policy let through at once.
 *
 * `stream` is `"both"` when the policy joins the streams. `fromSeq` and `toSeq` are the first and last chunk that
 * gave it content (a chunk that was cut appears in two windows), `fromTime` and `toTime` (ms since 1970) theirs.
 */
export const ShellOutputWindow: Schema.TaggedStruct<"Window", {
  readonly commandId: typeof CommandId
  readonly stream: Schema.Literals<readonly ["stdout", "stderr", "both"]>
  readonly content: typeof Schema.String
  readonly fromSeq: typeof Schema.Int
  readonly toSeq: typeof Schema.Int
  readonly fromTime: typeof Schema.Int
  readonly toTime: typeof Schema.Int
}> = Schema.TaggedStruct("Window", {
  commandId: CommandId,
  stream: Schema.Literals(["stdout", "stderr", "both"]),
  content: Schema.String,
  fromSeq: Count,
  toSeq: Count,
  fromTime: Count,
  toTime: Count,
})

export interface ShellOutputWindow extends Schema.Schema.Type<typeof ShellOutputWindow> {}
