/**
 * Reads output for a terminal as terminals do: text, control characters and sequences, also across pieces.
 *
 * Sources: ECMA-48, "Control Functions for Coded Character Sets"; P. Williams, "A parser for DEC's ANSI-compatible video
 * terminals", https://vt100.net/emu/dec_ansi_parser; xterm's control sequences (a BEL ends strings, too).
 */

/** Receives the parsed parts. Strings (OSC, DCS, APC, PM, SOS) are skipped. */
export interface TerminalActions {
  /** Text without control characters. */
  readonly text: (text: string) => void
  /** A control character below U+0020, even within a sequence. */
  readonly control: (character: string) => void
  /** An escape sequence without its ESC: `c`, `(B`. */
  readonly escape: (sequence: string) => void
  /**
   * A control sequence: its parameters with their private marker (`?1049`, `1;31`), then its intermediate and final characters.
   */
  readonly csi: (parameters: string, name: string) => void
}

type State = "text" | "escape" | "sequence" | "string"

/** Maximum length of a sequence: terminals know no longer one. */
const maxSequenceLength = 256

/** Control characters of ASCII and Latin 1, and those that end a string. */
// deno-lint-ignore no-control-regex
const controls = /[\x00-\x1f\x7f-\x9f]/g
// deno-lint-ignore no-control-regex
const stringEnds = /[\x07\x18\x1a\x1b\x9c]/g

/** ESC and these begin a string, as do their forms of one character. */
const stringStarts = "PX]^_"

const escapeCode = 0x1b

export class TerminalParser {
  readonly #actions: TerminalActions
  #state: State = "text"
  /** The part of a sequence that was read, without its introducer; or the text of a string. */
  #sequence = ""

  constructor(actions: TerminalActions) {
    this.#actions = actions
  }

  push(piece: string): void {
    let at = 0
    while (at < piece.length) {
      const isText = this.#state === "text"
      if (isText || this.#state === "string") {
        const next = isText ? controls : stringEnds
        next.lastIndex = at
        const end = next.exec(piece)?.index ?? piece.length
        if (isText && end > at) this.#actions.text(piece.slice(at, end))
        at = end
        if (at === piece.length) return
      }
      const code = piece.charCodeAt(at)
      // No sequence contains such a character, so it is text again.
      if (code >= 0xa0) this.#state = "text"
      else {
        this.#take(code, piece.charAt(at))
        at++
      }
    }
  }

  /** The unfinished sequence, or the beginning of an unfinished string, which is then forgotten. */
  end(): string {
    const begun = this.#state === "text" ? "" : `\x1b${this.#state === "sequence" ? "[" : ""}${this.#sequence}`
    this.#begin("text")
    return begun
  }

  #take(code: number, character: string): void {
    // CAN and SUB cancel any sequence; ESC begins another; so do the control characters of Latin 1, each with its own meaning.
    if (code === 0x18 || code === 0x1a) this.#state = "text"
    else if (code === escapeCode) this.#begin("escape")
    else if (this.#state === "string") this.#state = "text"
    else if (code >= 0x80) this.#afterEscape(String.fromCharCode(code - 0x40))
    else if (code < 0x20) this.#actions.control(character)
    else if (code === 0x7f) return
    else if (this.#state === "escape") this.#takeEscape(code, character)
    else this.#takeSequence(code, character)
  }

  #begin(state: State, sequence = ""): void {
    this.#state = state
    this.#sequence = sequence
  }

  #afterEscape(character: string): void {
    if (character === "[") this.#begin("sequence")
    else if (stringStarts.includes(character)) this.#begin("string", character)
    else {
      this.#state = "text"
      this.#actions.escape(character)
    }
  }

  #takeEscape(code: number, character: string): void {
    if (code < 0x30) this.#keep(character)
    else if (this.#sequence === "") this.#afterEscape(character)
    else {
      this.#state = "text"
      this.#actions.escape(this.#sequence + character)
    }
  }

  #takeSequence(code: number, character: string): void {
    this.#keep(character)
    if (code < 0x40) return
    this.#state = "text"
    const [, parameters, name] = /^([<=>?]?[0-9:;]*)([ -/]*[@-~])$/.exec(this.#sequence) ?? []
    if (parameters !== undefined && name !== undefined) this.#actions.csi(parameters, name)
  }

  /** A sequence that is too long is read to its end, without an effect. */
  #keep(character: string): void {
    if (this.#sequence.length <= maxSequenceLength) this.#sequence += character
  }
}
