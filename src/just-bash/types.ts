/** Declares the types of just-bash's API that the adapter takes and returns. Source: the declarations of just-bash 3.4.2. */

/** Encodings of files as text. */
export type BufferEncoding = "utf8" | "utf-8" | "ascii" | "latin1" | "binary" | "base64" | "hex"

/** An encoding, alone or as an option. */
export type FileEncoding = BufferEncoding | { readonly encoding?: BufferEncoding | null | undefined }

/** An initial file: text, bytes, or either with its mode and its time. */
export type InitialFile =
  | string
  | Uint8Array
  | { readonly content: string | Uint8Array; readonly mode?: number | undefined; readonly mtime?: Date | undefined }

/** Initial files by path. */
export type InitialFiles = Readonly<Record<string, InitialFile>>

/** Type, mode, size and time of a file. */
export interface FsStat {
  /** Whether it is a regular file. */
  readonly isFile: boolean
  /** Whether it is a folder. */
  readonly isDirectory: boolean
  /** Whether it is a symbolic link. */
  readonly isSymbolicLink: boolean
  /** Permission bits. */
  readonly mode: number
  /** Size in bytes. */
  readonly size: number
  /** Last change of the content. */
  readonly mtime: Date
}

/** The output of a command. */
export interface ExecResult {
  /** Standard output: text, or one character a byte where it is not UTF-8 or `stdoutKind` says so. */
  readonly stdout: string
  /** Standard error. */
  readonly stderr: string
  /** 0 to 255. */
  readonly exitCode: number
  /** For custom commands: whether `stdout` is text or has one character a byte. Default: `"text"`. */
  readonly stdoutKind?: "text" | "bytes" | undefined
}

/** The output of a script. */
export interface BashExecResult extends ExecResult {
  /** The variables of the shell at the end. */
  readonly env: Readonly<Record<string, string>>
}

/** Options of `Bash.exec`. */
export interface ExecOptions {
  /** Variables of this script, in addition to those of the `Bash`. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Start without the variables of the `Bash`. Default: `false`. */
  readonly replaceEnv?: boolean | undefined
  /** Working directory of this script. */
  readonly cwd?: string | undefined
  /** No effect: a script runs as it is. just-bash removes leading white space from its lines otherwise. */
  readonly rawScript?: boolean | undefined
  /** Stdin of the script. Default: nothing. */
  readonly stdin?: string | undefined
  /** `"bytes"`: `stdin` has one character a byte. Default: `"text"`. */
  readonly stdinKind?: "text" | "bytes" | undefined
  /** Kills the script; its exit code is then 124. */
  readonly signal?: AbortSignal | undefined
  /** Arguments that are added to the first command, without being parsed. */
  readonly args?: ReadonlyArray<string> | undefined
}

/** Limits of each script. just-bash's limits of single utilities have no counterpart and are refused. */
export interface ExecutionLimits {
  /** Nesting depth of functions. Default: 100. */
  readonly maxCallDepth?: number | undefined
  /** Simple commands of a script. Default: 100,000. */
  readonly maxCommandCount?: number | undefined
  /** Iterations of one loop. Default: 100,000. */
  readonly maxLoopIterations?: number | undefined
  /** Time of one script. Default: 60,000. */
  readonly maxExecutionTimeMs?: number | undefined
  /** Bytes of both outputs. Default: 64 MiB. */
  readonly maxOutputSize?: number | undefined
  /** Characters of one value of a variable. Default: 64 Mi. */
  readonly maxStringLength?: number | undefined
  /** Descriptors of one process. Default: 1,024. */
  readonly maxFileDescriptors?: number | undefined
  /** Nesting depth of `exec` in custom commands. Default: 64. */
  readonly maxExecDepth?: number | undefined
}

/** URLs that `curl` and `wget` may request. */
export interface NetworkConfig {
  /** Origins, with a path below which requests are allowed, and headers that are added outside of the sandbox. */
  readonly allowedUrlPrefixes?:
    | ReadonlyArray<
      string | {
        readonly url: string
        readonly transform?: ReadonlyArray<{ readonly headers: Readonly<Record<string, string>> }> | undefined
      }
    >
    | undefined
  /** Methods. Default: GET and HEAD. */
  readonly allowedMethods?: ReadonlyArray<string> | undefined
  /** Allow all names and methods. Default: `false`. */
  readonly dangerouslyAllowFullInternetAccess?: boolean | undefined
  /** Time until the head of a response must have come. Default: 30,000. */
  readonly timeoutMs?: number | undefined
  /** Bytes of a response. Default: 10 MiB. */
  readonly maxResponseSize?: number | undefined
  /** Refuse names with private addresses. Default: `true`, unlike in just-bash. */
  readonly denyPrivateRanges?: boolean | undefined
}

/** Receives the scripts, their outputs and exit codes. */
export interface BashLogger {
  /** Receives scripts, stderr and exit codes. */
  info(message: string, data?: Record<string, unknown>): void
  /** Receives stdout. */
  debug(message: string, data?: Record<string, unknown>): void
}
