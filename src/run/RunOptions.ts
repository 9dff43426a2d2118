/** Declares the options of a command in `./run`, without types of Effect. */
import type { DurationText } from "../base/DurationText.ts"
import type { SecretText } from "./Argument.ts"

/** A time span: milliseconds, or text such as `"5s"`, `"1m30s"`, `"500 millis"`. */
export type RunDuration = number | DurationText

/** Input of a command: a value, or bytes and text in pieces. */
export type RunInput =
  | string
  | Uint8Array
  | SecretText
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

/** A file, by its path or `file:` URL; relative to the directory of the command. */
export interface RunFile {
  /** Path or `file:` URL. */
  readonly file: string | URL
}

/** A file for output: truncated, or with `append` extended. */
export interface RunOutputFile extends RunFile {
  /** Default: `false`. */
  readonly append?: boolean | undefined
}

/**
 * Source of stdin:
 *
 *   - `"ignore"`: none; the command reads the end of file at once.
 *   - `"inherit"`: the stdin of this program, such as the terminal.
 *   - `"pipe"`: the property `stdin` of the command.
 *   - a file.
 */
export type RunStdin = "ignore" | "inherit" | "pipe" | RunFile

/** A writable stream of bytes. */
export type ByteSink = WritableStream<Uint8Array> | WritableStream<BufferSource>

/** Destination of output that is also captured. */
export type TeeTarget = "inherit" | RunOutputFile | ByteSink

/**
 * Destination of an output:
 *
 *   - `"pipe"`: this program, which captures or reads it.
 *   - `"inherit"`: the output of this program, by the same descriptor: a terminal stays a terminal. Not captured.
 *   - `"ignore"`: none.
 *   - `"tee"` or `{ tee }`: captured, and written there too, or to each of a list (`"tee"` is `{ tee: "inherit" }`).
 *   - a file, or a `WritableStream`, which is closed at the end. Not captured.
 */
export type RunOutput =
  | "pipe"
  | "inherit"
  | "ignore"
  | "tee"
  | { readonly tee: TeeTarget | ReadonlyArray<TeeTarget> }
  | RunOutputFile
  | ByteSink

/** Resource limits of a command, enforced by the operating system. */
export interface RunLimits {
  /** Address space of each process, in bytes. */
  readonly memoryBytes?: number
  /** Processor time of each process, in seconds. */
  readonly cpuSeconds?: number
  /** Processes and threads of the user. */
  readonly processes?: number
  /** Size of a file that is written, in bytes. */
  readonly fileSizeBytes?: number
}

/** Options of a command; each has a default. The names are those of `ShellExec.make`. */
export interface RunOptions {
  /**
   * Working directory, a path or `file:` URL. Default: the runner's, else this process's. It does not change which program is
   * meant: a relative path of one (`run("./tool")`) starts at the directory of this process.
   */
  readonly cwd?: string | URL | undefined
  /** Variables added to the environment or overriding it; `null` removes one. */
  readonly env?: Readonly<Record<string, string | number | SecretText | null>> | undefined
  /** Whether `env` extends this program's environment (`true`), or is all of it. Default: `true`. */
  readonly extendEnv?: boolean | undefined
  /**
   * Time from the spawn after which the whole process tree is ended; rejects with a `ShellFault`, `Timeout`. Time in the
   * queue of the runner's `maxConcurrency` does not count, but a wait as long as the timeout rejects too
   * (`kind: "queue"`). Default: none.
   */
  readonly timeout?: RunDuration | undefined
  /** Silence on both outputs after which the command is ended as by `timeout`. Default: none. */
  readonly idleTimeout?: RunDuration | undefined
  /** Time between SIGTERM and SIGKILL. Default: 5 s. */
  readonly grace?: RunDuration | undefined
  /** Whether stderr goes into the pipe of stdout, in the exact order of the writes. Default: `false`. */
  readonly mergeStreams?: boolean | undefined
  /** Whether `node_modules/.bin` of the directory and its parents come first in PATH. Default: `false`. */
  readonly localBin?: boolean | undefined
  /**
   * The shell of a script, for `` shell`…` ``; other commands have none. `"portable"`: the shell of this package, the language
   * of bash, in which each program of the script is a command of its own. `"system"`: `/bin/sh` or the runner's
   * `defaultShell`. Default: `"system"`; where there is no `sh`, as on Windows, `"portable"`.
   */
  readonly shell?: "system" | "portable" | undefined
  /** Encoding of the output: any label of `TextDecoder`. Default: `"utf-8"`. */
  readonly encoding?: string | undefined
  /** Maximum number of captured bytes of each output; beyond it the middle is left out. Default: 64 MiB. */
  readonly maxOutputBytes?: number | undefined
  /** Limits enforced by the operating system. Default: none. */
  readonly limits?: RunLimits | undefined
  /** Id of the run in logs and traces. Default: a UUIDv7. */
  readonly commandId?: string | undefined
  /** Input on stdin. Default: none. Not together with `stdin`. */
  readonly input?: RunInput | undefined
  /** Source of stdin, instead of `input`. Default: `"ignore"`. */
  readonly stdin?: RunStdin | undefined
  /** Destination of stdout. Default: `"pipe"`. */
  readonly stdout?: RunOutput | undefined
  /** Destination of stderr. Default: `"pipe"`. */
  readonly stderr?: RunOutput | undefined
  /**
   * Exit codes that are not errors: 0 (`true`), all, and signals too (`false`), or those in a list. Default: `true`.
   */
  readonly check?: boolean | ReadonlyArray<number> | undefined
  /** Whether the command line is printed to stderr before the start, secrets as `<redacted>`. Default: `false`. */
  readonly verbose?: boolean | undefined
  /** Ends the whole process tree when it is aborted; rejects with a `ShellFault`, `Cancelled`. */
  readonly signal?: AbortSignal | undefined
}

/** Options that many commands can have in common. */
export type SharedRunOptions = Omit<RunOptions, "commandId" | "input" | "stdin" | "stdout" | "stderr">
