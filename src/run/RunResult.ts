/**
 * Types of a command's result and events, without Effect.
 *
 * @module
 */

/** How one stage of a pipeline ended. */
export interface RunStage {
  readonly commandId: string
  readonly command: string
  readonly exitCode: number
  readonly signal?: string
}

/** How a command ended, with all that it wrote. */
export interface RunResult {
  /** Whether the exit code is 0. */
  readonly ok: boolean
  readonly commandId: string
  /** 0 to 255 (Windows: 32 bits); 128 + n when signal n ended it, and then `signal` names it. */
  readonly exitCode: number
  readonly signal?: string
  /** Captured output as text; empty for what went elsewhere or was streamed. */
  readonly stdout: string
  /** Captured output as text; empty for what went elsewhere. */
  readonly stderr: string
  /** Milliseconds from the spawn. */
  readonly duration: number
  /** Milliseconds since 1970. */
  readonly completed: number
  /** `"eof"` when both pipes were closed, `"cut"` when a process left behind still held one. */
  readonly drain: "eof" | "cut"
  /** The file that ran. */
  readonly executable: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
  /** Of those, left out of `stdout` beyond `maxOutputBytes`. */
  readonly stdoutBytesOmitted: number
  readonly stderrBytesOmitted: number
  /** For a pipeline, how each stage ended. */
  readonly stages?: ReadonlyArray<RunStage>
}

/** A piece of output, in the order of arrival. */
export interface OutputChunk {
  readonly _tag: "ShellOutputChunk"
  readonly commandId: string
  readonly stream: "stdout" | "stderr"
  readonly content: string
  /** Milliseconds since 1970. */
  readonly timestamp: number
  /** Counts across both streams, from 0. */
  readonly seq: number
}

/** The last event of a run. */
export interface RunEnd extends Omit<RunResult, "ok"> {
  readonly _tag: "ShellOutput"
}

/** An event of a run. */
export type RunEvent = OutputChunk | RunEnd
