/**
 * What every leaf gives.
 *
 * @module
 */
import type * as Stream from "effect/Stream"
import type { OutputStream, ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { Chunking } from "./Chunking.ts"
import type { ShellCapabilities } from "./ShellCapabilities.ts"
import type { ByteWriter } from "./Spawned.ts"

/** Settings of one run that are not part of the value because they cannot be written down. */
export interface ExecOptions {
  /** Bytes for stdin, pulled as the child reads them, instead of the command's `input`. Default: none. */
  readonly stdin?: Stream.Stream<Uint8Array, unknown> | undefined
  /** Where output is cut. Default: whole lines, a partial line after 100 ms. */
  readonly chunking?: Chunking | undefined
  /**
   * Where stdout goes instead of the stream: pulled on by the answers of `write`, ended with the pipe. After an
   * answer of `false` the pipe is closed, and the command gets EPIPE (SIGPIPE) as from a reader that went away.
   */
  readonly stdout?: ByteWriter | undefined
  /** Ends the command when it is aborted: the fault is `Cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** Called when the process has been started. */
  readonly onSpawn?: ((process: StartedProcess) => void) | undefined
  /** Whether the command takes a place among those that may run at once. Default: `true`. */
  readonly admission?: boolean | undefined
}

/** A process that was started. */
export interface StartedProcess {
  /** Its process id, where the leaf has one. */
  readonly pid: number | undefined
  /** The file that runs, as far as it is known. */
  readonly executable: string
}

/**
 * Bytes as they were read. `bytes` is a view of a buffer that is used again: it holds until the next element is
 * asked for. Keep it with `bytes.slice()`.
 */
export interface ShellBytes {
  readonly _tag: "ShellBytes"
  readonly stream: OutputStream
  readonly bytes: Uint8Array
}

/** What a leaf gives. */
export interface ShellService {
  /** Runs one command. Elements arrive as the process writes; the last element is the {@link ShellOutput}. */
  readonly exec: (exec: ShellExec, options?: ExecOptions) => Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>
  /** The same without decoding: see {@link ShellBytes}. */
  readonly bytes: (exec: ShellExec, options?: ExecOptions) => Stream.Stream<ShellBytes | ShellOutput, ShellFault>
  /** What this leaf can do. */
  readonly capabilities: ShellCapabilities
}
