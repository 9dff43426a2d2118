/** Declares a command's result and events in `./run`, without types of Effect. */

/** Result of one stage of a pipeline. */
export interface RunStage {
  /** Id of the stage's command. */
  readonly commandId: string
  /** The program. */
  readonly command: string
  /** 0 to 255 (Windows: 32 bits). */
  readonly exitCode: number
  /** Name of the signal that ended it. */
  readonly signal?: string
}

/** Result of a command, with its output. */
export interface RunResult {
  /** Whether the exit code is 0. */
  readonly ok: boolean
  /** Id of the command. */
  readonly commandId: string
  /** 0 to 255 (Windows: 32 bits); 128 + n when signal n ended it, and then `signal` names it. */
  readonly exitCode: number
  /** Name of the signal that ended it. */
  readonly signal?: string
  /** Captured output as text; empty if it went elsewhere or was streamed. */
  readonly stdout: string
  /** Captured output as text; empty if it went elsewhere. */
  readonly stderr: string
  /** Milliseconds since the spawn. */
  readonly duration: number
  /** Time of the end, milliseconds since 1970. */
  readonly completed: number
  /** `"eof"` if both pipes were closed, `"cut"` if a process that was left behind still held one. */
  readonly drain: "eof" | "cut"
  /** The file of the program. */
  readonly executable: string
  /** Bytes that were written to stdout. */
  readonly stdoutBytes: number
  /** Bytes that were written to stderr. */
  readonly stderrBytes: number
  /** Bytes left out of `stdout` beyond `maxOutputBytes`. */
  readonly stdoutBytesOmitted: number
  /** Bytes left out of `stderr` beyond `maxOutputBytes`. */
  readonly stderrBytesOmitted: number
  /** For a pipeline, the results of its stages. */
  readonly stages?: ReadonlyArray<RunStage>
  /** `stdout` without a final line end: what `${result}` is in a string. */
  toString(): string
}

/** A piece of output, in the order of arrival. */
export interface OutputChunk {
  /** Distinguishes it from other events. */
  readonly _tag: "ShellOutputChunk"
  /** Id of the command. */
  readonly commandId: string
  /** The stream that it was written to. */
  readonly stream: "stdout" | "stderr"
  /** Decoded text, line ends as they came. */
  readonly content: string
  /** Milliseconds since 1970. */
  readonly timestamp: number
  /** Counts across both streams, from 0. */
  readonly seq: number
}

/** The last event of a run. */
export interface RunEnd extends Omit<RunResult, "ok" | "toString"> {
  /** Distinguishes it from other events. */
  readonly _tag: "ShellOutput"
}

/** An event of a run. */
export type RunEvent = OutputChunk | RunEnd
