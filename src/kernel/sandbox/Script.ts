/**
 * How a script is run in a sandbox, and what comes back.
 *
 * @module
 */
import type { DurationInput } from "../../base/duration.ts"
import { signalName } from "../../command/signals.ts"
import type { Signal, WaitStatus } from "../System.ts"
import type { ScriptInput } from "./inputFile.ts"

export type { ScriptInput } from "./inputFile.ts"

/** The name of a signal that the kernel knows. */
export type SignalName = keyof typeof Signal

/** A script that runs. */
export interface RunningScript {
  /** Sends a signal to its shell and to everything that it started, as Ctrl-C does; answers with how many there are. */
  readonly kill: (signal?: SignalName) => number
}

/** Settings of one run. */
export interface ScriptOptions {
  /** What it reads on stdin: text, bytes, or a stream that is pulled as the processes read. Default: nothing. */
  readonly input?: ScriptInput | undefined
  /** The script's `$1`, `$2`, …, as they are, whatever is in them. Default: those of the run before. */
  readonly args?: ReadonlyArray<string> | undefined
  /** Longest run; then everything that it started is killed. Default: that of the sandbox. */
  readonly timeout?: DurationInput | undefined
  /**
   * Bytes that it may write on both outputs together. A run that writes more is ended by SIGXFSZ, and `truncated` says
   * so. Default: that of the sandbox for `run`; none for streams, which hold nothing.
   */
  readonly maxOutputBytes?: number | undefined
  /** Called when it has been started. */
  readonly onStart?: ((running: RunningScript) => void) | undefined
}

/** One of the two outputs. */
export type RunStream = "stdout" | "stderr"

/** How a script ended. */
export interface ScriptEnd {
  /** 0 to 255; 128 + n when signal n ended the shell. */
  readonly exitCode: number
  /** The signal that ended the shell, such as `"SIGKILL"`. */
  readonly signal?: string | undefined
  /** Whether it wrote more than it may, and was ended for it. */
  readonly truncated: boolean
}

/** The last element of a stream. */
export interface ScriptExit extends ScriptEnd {
  /** What it is. */
  readonly _tag: "ScriptExit"
}

/** Text that was written, read as UTF-8 whatever the pieces it came in. */
export interface ScriptText {
  /** What it is. */
  readonly _tag: "ScriptText"
  /** On which output it was written. */
  readonly stream: RunStream
  /** What was written; never empty. */
  readonly text: string
}

/** Bytes that were written: a view that holds until the next element is asked for. */
export interface ScriptBytes {
  /** What it is. */
  readonly _tag: "ScriptBytes"
  /** On which output they were written. */
  readonly stream: RunStream
  /** What was written; never empty. Keep it with `bytes.slice()`. */
  readonly bytes: Uint8Array
}

/** The end of a shell, as runs tell it. */
export const endOf = (status: WaitStatus, truncated: boolean): ScriptEnd => {
  const signal = status.signal === undefined ? undefined : signalName(status.signal)
  return { exitCode: status.exitCode, ...(signal === undefined ? undefined : { signal }), truncated }
}

/** UTF-8 as text; what is no UTF-8 becomes U+FFFD, and a byte-order mark is kept. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

/** What a script wrote, and how it ended. */
export class ScriptResult implements ScriptEnd {
  /** 0 to 255; 128 + n when signal n ended the shell. */
  readonly exitCode: number
  /** The signal that ended the shell, such as `"SIGKILL"`. */
  readonly signal: string | undefined
  /** Whether it wrote more than it may, and was ended for it. */
  readonly truncated: boolean
  /** Standard output, byte by byte. */
  readonly stdoutRaw: Uint8Array<ArrayBuffer>
  /** Standard error, byte by byte. */
  readonly stderrRaw: Uint8Array<ArrayBuffer>
  #stdout: string | undefined
  #stderr: string | undefined

  /** Puts a result together. */
  constructor(end: ScriptEnd, stdoutBytes: Uint8Array<ArrayBuffer>, stderrBytes: Uint8Array<ArrayBuffer>) {
    this.exitCode = end.exitCode
    this.signal = end.signal
    this.truncated = end.truncated
    this.stdoutRaw = stdoutBytes
    this.stderrRaw = stderrBytes
  }

  /** Whether the exit code is 0. */
  get ok(): boolean {
    return this.exitCode === 0
  }

  /** Standard output as text. */
  get stdout(): string {
    return this.#stdout ??= textOf(this.stdoutRaw)
  }

  /** Standard error as text. */
  get stderr(): string {
    return this.#stderr ??= textOf(this.stderrRaw)
  }
}
