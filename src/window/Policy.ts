/**
 * Type and constructor of window policies: rules that decide where a window of output ends.
 *
 * @module
 */
import { type DurationInput, millisOf } from "../base/duration.ts"

/** What a policy is told about a window that begins. */
export interface WindowStart {
  /** Whether the window begins at the beginning of a line: false when the one before was cut inside a line. */
  readonly startsLine: boolean
}

/**
 * Looks for the end of a window in the text that came.
 *
 * It is called with each new `text` once, in order, and `from` is where the window goes on in it. It answers the
 * index after the window's last UTF-16 unit (`from` itself ends the window before this text), or -1 while the window
 * stays open. What it has to remember between two calls it keeps in its closure. Pieces may have any length: a rule
 * about more than one character must allow for them coming apart.
 */
export type Scan = (text: string, from: number) => number

/** A windowing policy: no effect and no state of its own, so one value serves any number of commands. */
export interface Policy {
  /** What it is, as the command line writes it: `lines:50,silence:100`. */
  readonly name: string
  /** Milliseconds without output after which the window ends; `Infinity` for never. */
  readonly silenceMillis: number
  /** Begins a window; nothing when the text itself never ends one. */
  readonly open: ((start: WindowStart) => Scan) | undefined
}

/** What {@link make} takes. */
export interface PolicyOptions {
  /** For logs and messages. Default: `"custom"`. */
  readonly name?: string | undefined
  /** Silence after which the window ends, wherever it is. Default: never. */
  readonly silence?: DurationInput | undefined
  /** Begins a window: see {@link Scan}. Default: the text never ends one. */
  readonly open?: ((start: WindowStart) => Scan) | undefined
}

/**
 * Makes a policy of one's own. `open` is called at the start of each window and gives the function that looks for its
 * end. A window is never empty and never ends inside a surrogate pair, whatever the policy says.
 *
 * @example
 * ```ts
 * import { Window } from "@sluice/shell"
 *
 * // A window ends after each semicolon.
 * const statements = Window.make({ name: "statements", open: () => (text, from) => text.indexOf(";", from) + 1 || -1 })
 * console.assert(statements.name === "statements" && statements.silenceMillis === Infinity)
 * ```
 */
export const make = (options: PolicyOptions): Policy => ({
  name: options.name ?? "custom",
  silenceMillis: options.silence === undefined ? Infinity : millisOf("silence", options.silence),
  open: options.open,
})
