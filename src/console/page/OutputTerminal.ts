/**
 * Shows the output of a command in a read-only xterm.js terminal, without its harmful sequences, with colour themes,
 * scroll keys and a screen reader mode; returns its last lines as plain text.
 *
 * @module
 */
import { FitAddon } from "@xterm/addon-fit"
import { type ITheme, Terminal } from "@xterm/xterm"
import { blockHarmfulSequences } from "./blockHarmfulSequences.ts"

/** Number of lines of the scrollback. */
const scrollback = 20_000

/** Maximum characters per write: between two writes the terminal yields to the page. */
const pieceLength = 2_048

const dark: ITheme = {
  background: "#0f1215",
  foreground: "#e7eaed",
  cursor: "#0f1215",
  selectionBackground: "#24505a",
  red: "#ff9a91",
  green: "#6fd388",
  yellow: "#e3c170",
  blue: "#7db4ff",
  magenta: "#d8a6ff",
  cyan: "#5cc4cf",
}

const light: ITheme = {
  background: "#ffffff",
  foreground: "#191d22",
  cursor: "#ffffff",
  selectionBackground: "#bfe3e6",
  red: "#b3261e",
  green: "#1a6b2d",
  yellow: "#7a5b00",
  blue: "#0b4fae",
  magenta: "#8a2a9b",
  cyan: "#006874",
  white: "#4a4f55",
  brightBlack: "#5b6570",
  brightRed: "#b3261e",
  brightGreen: "#1a6b2d",
  brightYellow: "#7a5b00",
  brightBlue: "#0b4fae",
  brightMagenta: "#8a2a9b",
  brightCyan: "#006874",
  brightWhite: "#191d22",
}

const schemes = matchMedia("(prefers-color-scheme: dark)")

/** A read-only terminal: its answers to queries are discarded. */
export class OutputTerminal {
  readonly #terminal = new Terminal({
    convertEol: true,
    cursorInactiveStyle: "none",
    disableStdin: true,
    fontFamily: "ui-monospace, Menlo, Consolas, monospace",
    fontSize: 13,
    lineHeight: 1.2,
    minimumContrastRatio: 4.5,
    scrollback,
    theme: schemes.matches ? dark : light,
  })
  readonly #fit = new FitAddon()

  constructor(element: HTMLElement) {
    const terminal = this.#terminal
    blockHarmfulSequences(terminal.parser)
    terminal.loadAddon(this.#fit)
    terminal.open(element)
    const { textarea } = terminal
    if (textarea !== undefined) {
      textarea.setAttribute("aria-label", "Output of the command")
      textarea.readOnly = true
    }
    // Handles only scroll keys; others are the browser's: Tab moves the focus, Ctrl+C copies.
    terminal.attachCustomKeyEventHandler((event) => {
      if (event.type === "keydown" && this.#scroll(event)) event.preventDefault()
      return false
    })
    schemes.addEventListener("change", () => {
      terminal.options.theme = schemes.matches ? dark : light
    })
    new ResizeObserver(() => this.fit()).observe(element)
  }

  /** Fits the terminal to its element. */
  fit(): void {
    this.#fit.fit()
  }

  /** Resets the terminal: at once, and again after writes in progress (RIS). */
  clear(): void {
    this.#terminal.reset()
    this.#terminal.write("\x1bc")
  }

  /** Writes text; resolves when the terminal has processed it, for back-pressure. */
  write(text: string): Promise<void> {
    for (let at = 0; at < text.length; at += pieceLength) this.#terminal.write(text.slice(at, at + pieceLength))
    return new Promise((resolve) => this.#terminal.write("", resolve))
  }

  /** Turns the terminal's screen reader mode on or off. */
  readAloud(on: boolean): void {
    this.#terminal.options.screenReaderMode = on
  }

  /** The text of the last lines, without colours; wrapped lines are joined. */
  text(lines: number): string {
    const { active } = this.#terminal.buffer
    const texts: Array<string> = []
    let rest = ""
    for (let at = active.length - 1; at >= 0 && texts.length < lines; at--) {
      const line = active.getLine(at)
      const isWrapped = line?.isWrapped === true
      // A wrapped part fills the width, including blanks.
      rest = `${line?.translateToString(rest === "") ?? ""}${rest}`
      if (isWrapped) continue
      texts.push(rest)
      rest = ""
    }
    return texts.reverse().join("\n").trimEnd()
  }

  #scroll({ altKey, ctrlKey, key, metaKey, shiftKey }: KeyboardEvent): boolean {
    if (altKey || ctrlKey || metaKey || shiftKey) return false
    if (key === "ArrowUp") this.#terminal.scrollLines(-1)
    else if (key === "ArrowDown") this.#terminal.scrollLines(1)
    else if (key === "PageUp") this.#terminal.scrollPages(-1)
    else if (key === "PageDown") this.#terminal.scrollPages(1)
    else if (key === "Home") this.#terminal.scrollToTop()
    else if (key === "End") this.#terminal.scrollToBottom()
    else return false
    return true
  }
}
