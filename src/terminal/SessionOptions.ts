/** Declares the options of a terminal session and of its operations. */
import type { DurationInput } from "../base/duration.ts"
import type { TerminalKey } from "./keys.ts"

/** Options of a session. */
export interface SessionOptions {
  /** Width in columns. Default: 80. */
  readonly cols?: number | undefined
  /** Height in lines. Default: 24. */
  readonly rows?: number | undefined
  /** The type of the terminal, the command's variable `TERM`. Default: `"xterm-256color"`. */
  readonly term?: string | undefined
  /** Lines above the screen that are kept. Default: 1,000. */
  readonly scrollback?: number | undefined
  /** Output that is kept for clients that come back, in UTF-16 units, and of at most 16,384 chunks. Default: 1 MiB. */
  readonly maxKeptLength?: number | undefined
  /** Whether the session takes one of the shell's slots while it is open (`maxConcurrency`, 4). Default: `true`. */
  readonly admission?: boolean | undefined
  /**
   * Whether the emulated screen answers queries of programs, such as for the position of the cursor. Default: `true`;
   * turn it off where a client's own terminal answers.
   */
  readonly answersQueries?: boolean | undefined
  /** Ends the command when it aborts. */
  readonly signal?: AbortSignal | undefined
}

/** The position at which a client starts to read. */
export interface AttachOptions {
  /**
   * The `seq` of the last chunk that the client has; -1: from the beginning. Default: a new client, which gets a
   * `TerminalSnapshot` first.
   */
  readonly after?: number | undefined
  /**
   * Whether the command waits for this client when it is behind by as much as the session keeps. Default: `false`: the
   * command continues, and the client gets a `TerminalSnapshot` with the number of chunks that it missed.
   */
  readonly backPressure?: boolean | undefined
}

/**
 * The conditions to wait for:
 *
 * - a text or a regular expression in the *output since the last input* (`write`, `sendKeys`, `paste`), without escape
 *   sequences, also across chunks; only the last 64 Ki units are searched;
 * - `{ screen }`: a text or a regular expression on the visible screen, whenever it was written, for programs that draw
 *   on the whole screen;
 * - `{ silence }`: no output for this time.
 */
export type WaitCondition =
  | string
  | RegExp
  | { readonly screen: string | RegExp }
  | { readonly silence: DurationInput }

/** A key by its name, or text to type: `{ text: "ls" }`. */
export type KeyInput = TerminalKey | { readonly text: string }
