/** Declares window policies, the rules that decide where a window of output ends, and makes custom ones. */
import { type DurationInput, millisOf } from "../base/duration.ts"

/** Facts about a window that starts. */
export interface WindowStart {
  /** Whether the window starts at the start of a line; `false` if the window before was cut inside a line. */
  readonly startsLine: boolean
}

/**
 * Finds the end of a window in a piece of text. Called once with each new `text`, in order; the window continues at
 * `from`. Returns the index after the last UTF-16 code unit of the window (`from` itself ends the window before this
 * text), or -1 while the window stays open. Keep state between calls in the closure. Pieces may have any length: a rule
 * about several characters must expect them in separate pieces.
 */
export type Scan = (text: string, from: number) => number

/** A window policy: a stateless value that serves any number of commands. */
export interface Policy {
  /** Its form on the command line: `lines:50,silence:100`. */
  readonly name: string
  /** Milliseconds without output after which the window ends; `Infinity`: never. */
  readonly silenceMillis: number
  /** Starts a window; `undefined` if the text never ends one. */
  readonly open: ((start: WindowStart) => Scan) | undefined
}

/** Options of {@link makePolicy}. */
export interface PolicyOptions {
  /** Name for logs and messages. Default: `"custom"`. */
  readonly name?: string | undefined
  /** Silence after which the window ends. Default: never. */
  readonly silence?: DurationInput | undefined
  /** Starts a window: see {@link Scan}. Default: the text never ends one. */
  readonly open?: ((start: WindowStart) => Scan) | undefined
}

/**
 * Makes a custom policy. `open` is called at the start of each window and returns the function that finds its end. A window
 * is never empty and never ends inside a surrogate pair, whatever the policy returns.
 *
 * @example
 * ```ts
 * import { Window } from "@sluice/shell"
 *
 * // A window ends after each semicolon.
 * const statements = Window.makePolicy({ name: "statements", open: () => (text, from) => text.indexOf(";", from) + 1 || -1 })
 * console.log(statements.name === "statements" && statements.silenceMillis === Infinity) // true
 * ```
 *
 * @throws {OptionError} for a `silence` that is no time span above 0.
 */
export const makePolicy = (options: PolicyOptions): Policy => ({
  name: options.name ?? "custom",
  silenceMillis: options.silence === undefined ? Infinity : millisOf("silence", options.silence),
  open: options.open,
})
