/**
 * Types of the options of a command, without Effect.
 *
 * @module
 */
import type { DurationText } from "../base/DurationText.ts"
import type { SecretText } from "./Argument.ts"

/** A time span: milliseconds, or text such as `"5s"`, `"1m30s"`, `"500 millis"`. */
export type RunDuration = number | DurationText

/** What a command reads: a value, or bytes and text as they come. */
export type RunInput =
  | string
  | Uint8Array
  | SecretText
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

/** A file, by its path or `file:` URL; a relative path starts from the command's directory. */
export interface RunFile {
  readonly file: string | URL
}

/** A file that is written: made anew, or with `append` added to. */
export interface RunOutputFile extends RunFile {
  /** Default: `false`. */
  readonly append?: boolean | undefined
}

/**
 * Where a command's stdin comes from:
 *
 * - `"ignore"`: nothing; it reads the end at once.
 * - `"inherit"`: this program's own stdin, the terminal for example.
 * - `"pipe"`: what is written to the command's `stdin`.
 * - a file.
 */
export type RunStdin = "ignore" | "inherit" | "pipe" | RunFile

/** A stream that takes bytes. */
export type ByteSink = WritableStream<Uint8Array> | WritableStream<BufferSource>

/** Where output goes while it is captured too. */
export type TeeTarget = "inherit" | RunOutputFile | ByteSink

/**
 * Where an output of a command goes:
 *
 * - `"pipe"`: to this program, which captures or reads it.
 * - `"inherit"`: to this program's own output, by the same descriptor: a terminal stays one. It is not captured.
 * - `"ignore"`: nowhere.
 * - `"tee"` or `{ tee }`: captured, and shown at once (`"tee"` is `{ tee: "inherit" }`).
 * - a file, or a `WritableStream`, which is closed at the end. It is not captured.
 */
export type RunOutput =
  | "pipe"
  | "inherit"
  | "ignore"
  | "tee"
  | { readonly tee: TeeTarget }
  | RunOutputFile
  | ByteSink

/** Resource limits of a command, enforced by the operating system. */
export interface RunLimits {
  readonly memoryBytes?: number
  readonly cpuSeconds?: number
  readonly processes?: number
  readonly fileSizeBytes?: number
}

/** Settings of a command; every one has a default. The names are those of `ShellExec.make`. */
export interface RunOptions {
  /** Directory to run in, a path or `file:` URL. Default: the runner's, else the process's own. */
  readonly cwd?: string | URL | undefined
  /** Entries added to or overriding the environment; `null` removes a variable. */
  readonly env?: Readonly<Record<string, string | number | SecretText | null>> | undefined
  /** Whether `env` extends this program's environment (`true`), or is all of it. Default: `true`. */
  readonly extendEnv?: boolean | undefined
  /** Longest run; then the whole tree is ended, and the rejection is a `ShellFault` with `Timeout`. Default: none. */
  readonly timeout?: RunDuration | undefined
  /** Longest silence on both outputs; then as `timeout`. Default: none. */
  readonly idleTimeout?: RunDuration | undefined
  /** Time between SIGTERM and SIGKILL. Default: 5 s. */
  readonly grace?: RunDuration | undefined
  /** Stderr into stdout's pipe, in the exact order of the writes. Default: `false`. */
  readonly mergeStreams?: boolean | undefined
  /** Put `node_modules/.bin` of the directory and its parents first on PATH. Default: `false`. */
  readonly localBin?: boolean | undefined
  /** Encoding of the output: any label of `TextDecoder`. Default: `"utf-8"`. */
  readonly encoding?: string | undefined
  /** Bytes of each output that are captured; the middle is left out beyond. Default: 64 MiB. */
  readonly maxOutputBytes?: number | undefined
  /** Limits that the operating system enforces. Default: none. */
  readonly limits?: RunLimits | undefined
  /** Correlates the run with logs and traces. Default: a UUIDv7. */
  readonly commandId?: string | undefined
  /** What the command reads on stdin. Default: nothing. Not together with `stdin`. */
  readonly input?: RunInput | undefined
  /** Where stdin comes from, when it is no value. Default: `"ignore"`. */
  readonly stdin?: RunStdin | undefined
  /** Where stdout goes. Default: `"pipe"`. */
  readonly stdout?: RunOutput | undefined
  /** Where stderr goes. Default: `"pipe"`. */
  readonly stderr?: RunOutput | undefined
  /** Exit codes that are a success: 0 (`true`), all and every signal (`false`), or those of a list. Default: `true`. */
  readonly check?: boolean | ReadonlyArray<number> | undefined
  /** Print the command to stderr before it starts, secrets as `<redacted>`. Default: `false`. */
  readonly verbose?: boolean | undefined
  /** Ends the command and its descendants when it is aborted; the rejection is a `ShellFault` with `Cancelled`. */
  readonly signal?: AbortSignal | undefined
}

/** Settings that {@link RunOptions} of many commands can have in common. */
export type SharedRunOptions = Omit<RunOptions, "commandId" | "input" | "stdin" | "stdout" | "stderr">
