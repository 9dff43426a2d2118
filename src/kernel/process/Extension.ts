/**
 * Declares functions of the host as commands of the kernel. They are called through the descriptors of a process, so pipes,
 * limits and kills apply. They run in the host, whatever `isolate` says.
 */
import type { ExtensionCommands } from "../extension/ExtensionCommands.ts"
import type { ExtensionFiles } from "../extension/ExtensionFiles.ts"

export type { ExtensionCommands, ExtensionExecOptions, ExtensionInput } from "../extension/ExtensionCommands.ts"
export type { ExtensionFiles, ExtensionWriteOptions } from "../extension/ExtensionFiles.ts"

/**
 * Output of an extension: text as UTF-8 or bytes, whole or in pieces. A stream is pulled as fast as its reader reads.
 */
export type ExtensionOutput =
  | string
  | Uint8Array
  | ReadableStream<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>

/** Exit code and outputs of an extension. */
export interface ExtensionResult {
  /** 0 to 255. Default: 0. */
  readonly exitCode?: number | undefined
  /** Default: nothing. */
  readonly stdout?: ExtensionOutput | undefined
  /** Default: nothing. */
  readonly stderr?: ExtensionOutput | undefined
}

/** An output of an extension, to write to before it returns. */
export interface ExtensionWriter {
  /** Writes text or bytes; resolves when the pipe has taken them. Wait for it: a slow reader slows the function down. */
  readonly write: (piece: string | Uint8Array) => Promise<void>
}

/**
 * The call of an extension, apart from its arguments and its input, with the capabilities of a program of the sandbox.
 */
export interface ExtensionContext extends ExtensionCommands {
  /** The name it was called by. */
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Aborted when the command was ended: by a signal, a timeout, or because no reader of its output is left. */
  readonly signal: AbortSignal
  /** The files of the sandbox; relative paths start at {@link cwd}. */
  readonly files: ExtensionFiles
  /** Reads all of stdin as text. More than `maxBytes` (default: 67,108,864) is an error. */
  readonly readStdin: (options?: { readonly maxBytes?: number | undefined }) => Promise<string>
  /** Stdout, for output while the function runs. */
  readonly stdout: ExtensionWriter
  /** Stderr, for messages while the function runs. */
  readonly stderr: ExtensionWriter
}

/**
 * A function of the host as a command. Its result is written to stdout. If it throws, the error's message goes to
 * stderr without a stack, and the exit code is 1. `stdin` is pulled as it is read; cancelling it closes the pipe.
 */
export type Extension = (
  args: ReadonlyArray<string>,
  stdin: ReadableStream<Uint8Array<ArrayBuffer>>,
  context: ExtensionContext,
) => ExtensionOutput | ExtensionResult | void | PromiseLike<ExtensionOutput | ExtensionResult | void>

/** Functions of the host by the names of their commands. */
export type Extensions = Readonly<Record<string, Extension>>
