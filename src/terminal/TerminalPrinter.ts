/**
 * Rewrites untrusted output for a terminal: keeps text, and only those sequences that are known to be harmless.
 *
 * A terminal answers some sequences as if the user had typed; others change its clipboard, its title, its printer or
 * its keys. No sequence is passed on as it was read: each is written anew from its parsed form, so it does not matter
 * how a terminal would read the original.
 *
 * Sources: xterm's control sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html; H. D. Moore, "Terminal
 * Emulator Security Issues" (2003).
 */
import { TerminalParser } from "./TerminalParser.ts"

/**
 * The sequences that are printed. `"text"`: colours only. `"screen"`: also those that move the cursor, erase and scroll.
 * `"typed"`: also those that change the input of keys and the mouse.
 */
export type TerminalContent = "text" | "screen" | "typed"

interface Allowed {
  readonly controls: string
  readonly escapes: ReadonlyArray<string>
  /** Final characters of control sequences that take numbers. */
  readonly numbered: string
  /** Private modes that are set and reset. */
  readonly modes: ReadonlySet<string>
}

const text: Allowed = { controls: "\t\n\r", escapes: [], numbered: "m", modes: new Set() }

const screen: Allowed = {
  controls: `${text.controls}\b\v\f\x0e\x0f`,
  escapes: ["7", "8", "D", "E", "H", "M", "(0", "(B", ")0", ")B", "#8"],
  // Cursor, erasing, scrolling, tabs, margins.
  numbered: `${text.numbered}@ABCDEFGHIJKLMPSTXZ\`abdefgrsu`,
  // Reverse video, wrapping, the cursor, the alternate screen, synchronized output.
  modes: new Set(["5", "7", "25", "47", "1047", "1048", "1049", "2026"]),
}

const allowed: Readonly<Record<TerminalContent, Allowed>> = {
  text,
  screen,
  typed: {
    ...screen,
    controls: `${screen.controls}\x07`,
    escapes: [...screen.escapes, "=", ">", "c"],
    // Application keys, the mouse, focus, bracketed paste, changes of the colours.
    modes: new Set(
      [...screen.modes, "1", "9", "66", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016"]
        .concat("2004", "2031"),
    ),
  },
}

/** Up to 32 numbers of four digits. */
const numbers = /^\d{0,4}(?:[;:]\d{0,4}){0,31}$/

/** Sequences that a terminal repeats one by one, so that a high count would keep it busy. */
const repeated = "@ILMPSTXZb"
const maxRepeat = 500

/** Insertion (IRM), and a soft reset. */
const others = ["4h", "4l", "!p"]

/** Five numbers of `T` track the mouse, and `3J` erases what the user has scrolled away. */
const isOther = (parameters: string, name: string, content: TerminalContent): boolean =>
  (name === "T" && parameters.includes(";")) ||
  (name === "J" && content !== "typed" && /(?:^|[;:])0*3/.test(parameters))

export class TerminalPrinter {
  #printed = ""
  readonly #content: TerminalContent
  readonly #parser: TerminalParser

  constructor(content: TerminalContent) {
    this.#content = content
    const { controls, escapes } = allowed[content]
    this.#parser = new TerminalParser({
      text: (text) => {
        this.#printed += text
      },
      control: (character) => {
        if (controls.includes(character)) this.#printed += character
      },
      escape: (sequence) => {
        if (escapes.includes(sequence)) this.#printed += `\x1b${sequence}`
      },
      csi: (parameters, name) => {
        this.#printed += this.#csi(parameters, name)
      },
    })
  }

  /** The next piece of output, safe to write to a terminal. */
  push(piece: string): string {
    this.#printed = ""
    this.#parser.push(piece)
    return this.#printed
  }

  /** The unfinished sequence, for an output whose rest goes to the terminal unchanged. */
  end(): string {
    return this.#parser.end()
  }

  #csi(parameters: string, name: string): string {
    const { modes, numbered } = allowed[this.#content]
    if (parameters.startsWith("?") && (name === "h" || name === "l")) {
      const known = parameters.slice(1).split(";").filter((mode) => modes.has(mode))
      return known.length === 0 ? "" : `\x1b[?${known.join(";")}${name}`
    }
    if (this.#content !== "text" && others.includes(parameters + name)) return `\x1b[${parameters}${name}`
    if (name.length !== 1 || !numbered.includes(name) || !numbers.test(parameters)) return ""
    if (isOther(parameters, name, this.#content)) return ""
    if (repeated.includes(name) && parameters.split(/[;:]/).some((number) => Number(number) > maxRepeat)) return ""
    return `\x1b[${parameters}${name}`
  }
}
