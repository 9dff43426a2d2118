/** Shows the output of a command in an xterm.js terminal without its harmful sequences, and takes what the user types. */
import { FitAddon } from "@xterm/addon-fit"
import { type ITheme, Terminal } from "@xterm/xterm"
import { TerminalPrinter } from "../../terminal/TerminalPrinter.ts"
import { blockInputModes } from "./blockInputModes.ts"

const scrollback = 20_000

const maxCells = 1_000

/** Maximum characters per write: between two writes the terminal yields to the page. */
const pieceLength = 2_048

/** Characters that wait to be processed before the writer is held. */
const maxWaiting = 65_536

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

export interface TerminalUser {
  readonly type: (text: string) => void
  /** Called with the size that fits the page, when the user has chosen the terminal or changed the page. */
  readonly resized: (cols: number, rows: number) => void
  readonly leave: () => void
}

const readOnlyLabel = "Output of the command"
const typedLabel = "Terminal of the command. Control and right square bracket leave it."

/** The terminal; its answers to queries are discarded. Read-only unless it is attached. */
export class OutputTerminal {
  #user: TerminalUser | undefined
  /** Whether the page decides the size: the user has chosen the terminal, and no other client has changed it since. */
  #decidesSize = true
  #attached = false
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
  #waiting = 0
  /** Filters the output: only the sequences that it passes on have an effect on the page. */
  #printer = new TerminalPrinter("typed")

  constructor(element: HTMLElement) {
    const terminal = this.#terminal
    blockInputModes(terminal.parser, () => this.#user !== undefined)
    terminal.loadAddon(this.#fit)
    terminal.open(element)
    const { textarea } = terminal
    if (textarea !== undefined) {
      textarea.setAttribute("aria-label", readOnlyLabel)
      textarea.readOnly = true
      textarea.addEventListener("focus", () => this.#takeSize())
    }
    terminal.onData((text) => this.#user?.type(text))
    // A read-only terminal handles only scroll keys; the browser handles the others: Tab moves the focus, Ctrl+C
    // copies.
    terminal.attachCustomKeyEventHandler((event) => {
      if (this.#user !== undefined) return this.#handleTyped(event, this.#user)
      if (event.type === "keydown" && this.#scroll(event)) event.preventDefault()
      return false
    })
    schemes.addEventListener("change", () => {
      terminal.options.theme = this.#theme()
    })
    new ResizeObserver(() => this.fit()).observe(element)
  }

  /** Fits the terminal to its element, unless another client of its command decides its size. */
  fit(): void {
    if (!this.#attached) return this.#fit.fit()
    if (!this.#decidesSize || this.#user === undefined) return
    this.#fit.fit()
    this.#user.resized(this.#terminal.cols, this.#terminal.rows)
  }

  get size(): { readonly cols: number; readonly rows: number } {
    const { cols, rows } = this.#fit.proposeDimensions() ?? this.#terminal
    return { cols: Math.max(2, cols || 80), rows: Math.max(2, rows || 24) }
  }

  /** Takes the size that the terminal of the command has. */
  setSize(cols: number, rows: number): void {
    if (!this.#attached) {
      this.#attached = true
      // The terminal of the system has translated newlines.
      this.#terminal.options.convertEol = false
      this.#decidesSize = false
    }
    if (cols === this.#terminal.cols && rows === this.#terminal.rows) return
    this.#decidesSize = false
    // Its memory grows with its size, which another client chose.
    this.#terminal.resize(Math.min(cols, maxCells), Math.min(rows, maxCells))
  }

  /** Passes on what the user types, or with `undefined` makes the terminal read-only. */
  interact(user: TerminalUser | undefined): void {
    const wasTyped = this.#user !== undefined
    this.#user = user
    if (wasTyped === (user !== undefined)) return
    const { options, textarea } = this.#terminal
    options.disableStdin = user === undefined
    options.cursorInactiveStyle = user === undefined ? "none" : "outline"
    options.theme = this.#theme()
    if (textarea === undefined) return
    textarea.readOnly = user === undefined
    textarea.setAttribute("aria-label", user === undefined ? readOnlyLabel : typedLabel)
    if (document.activeElement === textarea) this.#takeSize()
  }

  #theme(): ITheme {
    const theme = schemes.matches ? dark : light
    // The cursor is hidden in a read-only terminal.
    return this.#user === undefined ? theme : { ...theme, cursor: theme.foreground ?? "#888888" }
  }

  #takeSize(): void {
    this.#decidesSize = true
    this.fit()
  }

  /** Whether xterm.js handles a key. The browser handles pasting, and copying a selection. */
  #handleTyped(event: KeyboardEvent, user: TerminalUser): boolean {
    const { code, ctrlKey, key, metaKey, type } = event
    if (ctrlKey && !event.altKey && (key === "]" || code === "BracketRight")) {
      event.preventDefault()
      if (type === "keydown") user.leave()
      return false
    }
    const letter = key.toLowerCase()
    return !((ctrlKey || metaKey) && (letter === "v" || (letter === "c" && this.#terminal.hasSelection())))
  }

  /** Resets the terminal: at once, and again after writes in progress (RIS). */
  clear(): void {
    this.interact(undefined)
    this.#attached = false
    this.#decidesSize = true
    this.#terminal.options.convertEol = true
    this.#terminal.reset()
    this.#printer = new TerminalPrinter("typed")
    this.#terminal.write("\x1bc")
  }

  /** Writes text; resolves when the terminal is ready for more: it processes what was written in a later turn. */
  async write(text: string): Promise<void> {
    const shown = this.#printer.push(text)
    for (let at = 0; at < shown.length; at += pieceLength) {
      const piece = shown.slice(at, at + pieceLength)
      this.#waiting += piece.length
      this.#terminal.write(piece, () => this.#waiting -= piece.length)
    }
    if (this.#waiting > maxWaiting) await new Promise<void>((resolve) => this.#terminal.write("", resolve))
  }

  readAloud(on: boolean): void {
    this.#terminal.options.screenReaderMode = on
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
