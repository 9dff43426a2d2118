/** Declares the options, events and result of running a script in a sandbox. */
import { NodeInspectSymbol } from "effect/Inspectable"
import type { DurationInput } from "../../base/duration.ts"
import { signalName } from "../../command/signals.ts"
import type { Signal, WaitStatus } from "../System.ts"
import type { ScriptInput } from "./inputFile.ts"

export type { ScriptInput } from "./inputFile.ts"

/** The name of a signal. */
export type SignalName = keyof typeof Signal

/** A running script. */
export interface RunningScript {
  /** Sends a signal, SIGTERM by default, to its shell and everything that it started; returns the number of processes. */
  readonly kill: (signal?: SignalName) => number
}

/** Options of one run. */
export interface ScriptOptions {
  /** Stdin of the script: text, bytes, or a stream that is pulled as processes read. Default: nothing. */
  readonly input?: ScriptInput | undefined
  /** The script's `$1`, `$2`, …; they are never parsed as shell text. Default: those of the previous run. */
  readonly args?: ReadonlyArray<string> | undefined
  /** Time after which the script and everything that it started are killed. Default: that of the sandbox. */
  readonly timeout?: DurationInput | undefined
  /**
   * Maximum bytes that it may write to both outputs together; beyond that it is ended by SIGXFSZ and `truncated` is
   * `true`. Default: `limits.maxOutputBytes` of the sandbox for `run`; no limit for streams, which buffer nothing.
   */
  readonly maxOutputBytes?: number | undefined
  /** Called when the script has started. */
  readonly onStart?: ((running: RunningScript) => void) | undefined
}

export type RunStream = "stdout" | "stderr"

/** The exit code of a script, or the signal that ended it. */
export interface ScriptEnd {
  /** 0 to 255; 128 + n when signal n ended the shell. */
  readonly exitCode: number
  /** The signal that ended the shell, such as `"SIGKILL"`. */
  readonly signal?: string | undefined
  /** Whether it was ended for writing more than `maxOutputBytes`. */
  readonly truncated: boolean
}

/** The last event of a streamed script. */
export interface ScriptExit extends ScriptEnd {
  /** The kind of event. */
  readonly _tag: "ScriptExit"
}

/** A piece of output, decoded as UTF-8 across pieces. */
export interface ScriptText {
  /** The kind of event. */
  readonly _tag: "ScriptText"
  /** The output it was written to. */
  readonly stream: RunStream
  /** The text; never empty. */
  readonly text: string
}

/** A piece of output as bytes: a view that is valid until the next element is pulled. */
export interface ScriptBytes {
  /** The kind of event. */
  readonly _tag: "ScriptBytes"
  /** The output they were written to. */
  readonly stream: RunStream
  /** The bytes; never empty. Copy them with `bytes.slice()` to keep them. */
  readonly bytes: Uint8Array
}

export const scriptEndOf = (status: WaitStatus, truncated: boolean): ScriptEnd => {
  const signal = status.signal === undefined ? undefined : signalName(status.signal)
  return { exitCode: status.exitCode, ...(signal === undefined ? undefined : { signal }), truncated }
}

/** Decodes UTF-8. Invalid bytes become U+FFFD; a byte-order mark is kept. */
export const textOf = (bytes: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)

/** The output of a script, and how it ended. */
export class ScriptResult implements ScriptEnd {
  /** 0 to 255; 128 + n when signal n ended the shell. */
  readonly exitCode: number
  /** The signal that ended the shell, such as `"SIGKILL"`. */
  readonly signal: string | undefined
  /** Whether it was ended for writing more than `maxOutputBytes`. */
  readonly truncated: boolean
  /** Standard output as bytes. */
  readonly stdoutRaw: Uint8Array<ArrayBuffer>
  /** Standard error as bytes. */
  readonly stderrRaw: Uint8Array<ArrayBuffer>
  #stdout: string | undefined
  #stderr: string | undefined

  /** @internal */
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

  /** The result with its output as text alone, for `JSON.stringify`. */
  toJSON(): Pick<ScriptResult, "exitCode" | "signal" | "truncated" | "stdout" | "stderr"> {
    const { exitCode, signal, stderr, stdout, truncated } = this
    return { exitCode, signal, truncated, stdout, stderr }
  }

  // `console.log` shows the text, too.
  static {
    Object.defineProperty(this.prototype, NodeInspectSymbol, {
      value(this: ScriptResult) {
        return this.toJSON()
      },
    })
  }
}
