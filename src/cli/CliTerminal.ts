/** Declares the terminal of the program's user: its size, and its raw mode. */
import type { TerminalSize } from "../command/Terminal.ts"

/** The terminal on which the user types. */
export interface CliTerminal {
  /** Its size now; 80 × 24 where it is unknown. */
  readonly size: () => TerminalSize
  /**
   * Turns raw mode on or off: each key is read at once, none is echoed, and Ctrl-C and Ctrl-Z are keys. It is turned off
   * whichever way the program ends, except by SIGKILL.
   */
  readonly setRaw: (on: boolean) => void
  /** Calls back at each change of the size; returns the function that stops that. */
  readonly onResize: (listener: () => void) => () => void
}

/** The size where none is known: that of a VT100. */
export const unknownSize: TerminalSize = { cols: 80, rows: 24 }
