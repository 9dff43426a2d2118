/**
 * Interface of the program's own process: arguments, variables, stdin, outputs and signals.
 *
 * @module
 */

/** An output of this process: 1 is stdout, 2 is stderr. */
export type OutputFd = 1 | 2

/** A signal that ends this process. */
export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP"

/** All signals that end this process. */
export const endSignals: ReadonlyArray<EndSignal> = ["SIGINT", "SIGTERM", "SIGHUP"]

/** Bytes that are pulled. */
export interface InputReader {
  /** The next bytes, `undefined` at the end; rejects when they cannot be read. One read at a time. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Gives the input up; a read that is under way may stay so. */
  readonly close: () => void
}

/** What the command line needs of the process it is, on every runtime. */
export interface CliProcess {
  /** The words after the program's own name. */
  readonly args: ReadonlyArray<string>
  /** A variable of the environment. */
  readonly variable: (name: string) => string | undefined
  /** Removes variables from the environment, as far as that is allowed. */
  readonly forget: (matches: (name: string) => boolean) => void
  /** Whether an output goes to a terminal. */
  readonly isTerminal: (fd: OutputFd) => boolean
  /** Columns of the terminal that stdout goes to, where that can be told. */
  readonly columns: () => number | undefined
  /**
   * Writes bytes, or some of them, and answers how many. Never blocks the thread, however slow the reader: signals
   * and timeouts must go on. Rejects with an error that has a `code` where the system gave one.
   */
  readonly write: (fd: OutputFd, bytes: Uint8Array) => Promise<number>
  /** Whether stdin is a pipe, a socket or a file; not a terminal, nor another device, such as /dev/null. */
  readonly hasInput: () => boolean
  /** Opens a file, or stdin for `-`. Rejects when it cannot be opened. */
  readonly openInput: (source: string) => Promise<InputReader>
  /** Calls back at each of these signals, which then no longer end the process by themselves. */
  readonly onSignal: (listener: (signal: EndSignal) => void) => void
  /** Ends this process with a status, and does not wait for a write that nobody reads. */
  readonly exit: (status: number) => void
}
