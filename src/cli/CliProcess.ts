/** Declares the interface of the program's own process: its terminal, and the signals that end it. */
import type { TerminalSize } from "../command/Terminal.ts"

export interface CliTerminal {
  /** Its size now; 80 × 24 where it is unknown. */
  readonly size: () => TerminalSize
  /**
   * Turns raw mode on or off: each key is read at once, none is echoed, and Ctrl-C and Ctrl-Z are keys. Raw mode is
   * turned off however the program ends, except by SIGKILL.
   */
  readonly setRaw: (on: boolean) => void
  /** Calls back at each change of the size; returns the function that unsubscribes. */
  readonly onResize: (listener: () => void) => () => void
}

/** The size if none is known: a VT100's. */
export const unknownSize: TerminalSize = { cols: 80, rows: 24 }

export type OutputFd = 1 | 2

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP"

export const endSignals: ReadonlyArray<EndSignal> = ["SIGINT", "SIGTERM", "SIGHUP"]

/** A pull-based reader of bytes. */
export interface InputReader {
  /** The next bytes, `undefined` at the end; rejects on a read error. One read at a time. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Closes the input; a read in progress may stay pending. */
  readonly close: () => void
}

export interface CliProcess {
  readonly args: ReadonlyArray<string>
  readonly variable: (name: string) => string | undefined
  /** Removes variables from the environment where that is permitted. */
  readonly forget: (matches: (name: string) => boolean) => void
  readonly isTerminal: (fd: OutputFd) => boolean
  /** Columns of the terminal that stdout goes to; `undefined` if unknown. */
  readonly columns: () => number | undefined
  /**
   * Writes some or all of the bytes and returns their number. Never blocks the thread, however slow the reader, because
   * signals and timeouts must still be handled. Rejects with an error that has the system's `code`, if there is one.
   */
  readonly write: (fd: OutputFd, bytes: Uint8Array) => Promise<number>
  /** Whether stdin is a pipe, a socket or a file, not a terminal or another device such as /dev/null. */
  readonly hasInput: () => boolean
  /** The user's terminal; `undefined` if stdin is not a terminal. Keys are read by `openInput("-")`. */
  readonly openTerminal: () => CliTerminal | undefined
  /** Opens a file, or stdin for `-`. Rejects when it cannot be opened. */
  readonly openInput: (source: string) => Promise<InputReader>
  /** Calls back at each of these signals, which then no longer end the process. */
  readonly onSignal: (listener: (signal: EndSignal) => void) => void
  /** Ends this process with a status, without waiting for a blocked write. */
  readonly exit: (status: number) => void
}
