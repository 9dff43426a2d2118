/**
 * Declares a started process as a leaf returns it: output pipes to pull from, stdin, exit, and termination.
 *
 * Plain callbacks, not Effects: one asynchronous suspension of a fiber costs microseconds, and most of the work
 * between two chunks needs none.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { FaultReason } from "../command/FaultReason.ts"
import type { TerminalSize } from "../command/Terminal.ts"

/** One output pipe, pulled. */
export interface ByteReader {
  /**
   * Reads once. `done` is called exactly once, perhaps before `read` returns: with at least one byte, valid until
   * the next `read`, or with `undefined` at the end (a pipe that breaks has ended). One read at a time.
   */
  readonly read: (done: (bytes: Uint8Array | undefined) => void) => void
  /**
   * Keeps the bytes of the last read valid after the next one: the buffer belongs to the caller. Missing where all
   * reads share one buffer.
   */
  readonly keep?: (() => void) | undefined
  /** Bytes after which a caller should process its reads before the next one. Default: 1 MiB. */
  readonly batchBytes?: number | undefined
  /** Takes kept bytes back, so that a later read reuses their buffer. Missing where buffers are never reused. */
  readonly recycle?: ((bytes: Uint8Array) => void) | undefined
  /** Closes the pipe: a pending read ends with `undefined`, and the writer gets EPIPE. */
  readonly release: () => void
}

/** The stdin pipe. */
export interface ByteWriter {
  /**
   * Writes all the bytes. Resolves when the pipe has taken them, with `false` when its reader is gone (EPIPE). The
   * bytes must stay unchanged until then, unless the writer takes them over with `keep`, which is missing where it
   * cannot.
   */
  readonly write: (bytes: Uint8Array, keep?: () => void) => Promise<boolean>
  /** Ends the input. Idempotent, never rejects. */
  readonly end: () => Promise<void>
}

/** The end of a process. */
export interface ExitStatus {
  /** 0 to 255 (Windows: 32 bits); 128 + n for signal n. */
  readonly exitCode: number
  /** The signal that ended it, such as `"SIGTERM"`. */
  readonly signal?: string | undefined
  /**
   * The fault of a process that was lost with its machine, or that a limit ended. The run ends with this fault, after
   * the output. Default: none.
   */
  readonly fault?: ExitFault | undefined
}

/** The reason why a process that is gone did not run to its end. */
export interface ExitFault {
  /** The reason. */
  readonly reason: FaultReason
  /** A message of the form `exec: what happened (CODE)`. */
  readonly message: string
}

/** A process that was started. */
export interface SpawnedProcess {
  /** The executed file, if it is known. */
  readonly executable: string
  /** Its process id, where there is one. */
  readonly pid?: number | undefined
  /** Reads its stdout. */
  readonly stdout: ByteReader
  /** Missing when stderr goes into stdout's pipe. */
  readonly stderr?: ByteReader | undefined
  /** Missing when stdin is closed. */
  readonly stdin?: ByteWriter | undefined
  /** Calls `done` once, when the process has been reaped. With {@link SpawnedProcess.signal} it takes several listeners. */
  readonly onExit: (done: (status: ExitStatus) => void) => void
  /**
   * Breaks the pipe of a process whose reader is gone, where closing the pipe is not enough: Node and Bun use a pair of
   * sockets as a pipe, and a writer to a socket that was closed unread gets ECONNRESET, not SIGPIPE.
   */
  readonly breakPipe?: (() => void) | undefined
  /** Signals the process itself; harmless when it is gone. */
  readonly signal?: ((signal: string) => void) | undefined
  /** Changes the size of its terminal. Missing without a terminal. */
  readonly resize?: ((size: TerminalSize) => void) | undefined
  /**
   * Ends the whole tree: SIGTERM, at most `grace` of waiting, SIGKILL. Succeeds with the ids of the processes that could not be
   * ended.
   */
  readonly terminate: (grace: Duration.Duration) => Effect.Effect<ReadonlyArray<number>>
  /**
   * Whether a process of its tree may still hold the output pipes. If none does, the pipes end by themselves: the rest
   * of them is read, however busy the machine is, instead of being cut after the drain grace. Missing if the answer is
   * unknown.
   */
  readonly mayHoldOutput?: (() => boolean) | undefined
  /**
   * Releases resources that were kept for ending the process. Called once, after any `terminate`, when the run has ended.
   * The stream ends when the returned promise has resolved.
   */
  readonly release?: (() => void | Promise<void>) | undefined
}
