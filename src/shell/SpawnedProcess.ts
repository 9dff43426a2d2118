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
   * Keeps the bytes of the last read valid after the next one: the buffer belongs to the caller. Missing where every read
   * needs the same buffer.
   */
  readonly keep?: (() => void) | undefined
  /** Bytes after which a caller should process its reads before the next one. Default: 1 MiB. */
  readonly batchBytes?: number | undefined
  /** Takes kept bytes back, whose buffer a later read uses again. Missing where buffers are never used again. */
  readonly recycle?: ((bytes: Uint8Array) => void) | undefined
  /** Closes the pipe: a pending read ends with `undefined`, and the writer gets EPIPE. */
  readonly release: () => void
}

/** The stdin pipe. */
export interface ByteWriter {
  /**
   * Writes all the bytes; resolves when the pipe has taken them: `false` when its reader is gone (EPIPE). A writer that
   * calls `keep` owns the bytes, which otherwise hold until it resolves; missing where they cannot be owned.
   */
  readonly write: (bytes: Uint8Array, keep?: () => void) => Promise<boolean>
  /** Ends the input. Idempotent, never rejects. */
  readonly end: () => Promise<void>
}

/** How a process ended. */
export interface ExitStatus {
  /** 0 to 255 (Windows: 32 bits); 128 + n for signal n. */
  readonly exitCode: number
  /** The signal that ended it, such as `"SIGTERM"`. */
  readonly signal?: string | undefined
  /**
   * The fault of a process that is lost with its machine, or that a limit ended: the run ends with it, after the output.
   * Default: none.
   */
  readonly fault?: ExitFault | undefined
}

/** The reason for which a process that is gone did not run to its end. */
export interface ExitFault {
  /** The reason. */
  readonly reason: FaultReason
  /** What happened, as `exec: what happened (CODE)`. */
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
   * Signals EPIPE to a process whose reader is gone, where closing the pipe does not: Node and Bun use a pair of sockets as
   * a pipe, and a writer to a socket that was closed unread gets ECONNRESET, not SIGPIPE.
   */
  readonly breakPipe?: (() => void) | undefined
  /** Signals the process itself; harmless when it is gone. */
  readonly signal?: ((signal: string) => void) | undefined
  /** Changes the size of its terminal. Missing where it has none. */
  readonly resize?: ((size: TerminalSize) => void) | undefined
  /**
   * Ends the whole tree: SIGTERM, at most `grace` of waiting, SIGKILL. Succeeds with the ids of the processes that could not be
   * ended.
   */
  readonly terminate: (grace: Duration.Duration) => Effect.Effect<ReadonlyArray<number>>
  /**
   * Whether a process of its tree may still hold the output pipes. If none does, the pipes end by themselves: their rest is
   * read, however busy the machine is, and not cut after the drain grace. Missing if that is unknown.
   */
  readonly mayHoldOutput?: (() => boolean) | undefined
  /**
   * Releases resources that were kept for ending the process. Called once, after any `terminate`, when the run has ended.
   * The stream ends when the returned promise has resolved.
   */
  readonly release?: (() => void | Promise<void>) | undefined
}
