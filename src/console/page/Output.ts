/**
 * The terminal that shows a command's output.
 *
 * @module
 */
import { FitAddon } from "@xterm/addon-fit"
import { type ITheme, Terminal } from "@xterm/xterm"

/** Lines that one can scroll back to. */
const scrollback = 20_000

const dark: ITheme = {
  background: "#101418",
  foreground: "#e6e9ec",
  cursor: "#101418",
  red: "#ff9a91",
  green: "#6fd388",
  blue: "#7db4ff",
  magenta: "#d8a6ff",
}

const light: ITheme = {
  background: "#ffffff",
  foreground: "#1a1f24",
  cursor: "#ffffff",
  selectionBackground: "#b3d7ff",
  yellow: "#7a5b00",
  green: "#1a6b2d",
  cyan: "#006874",
  white: "#4a4f55",
  brightYellow: "#7a5b00",
  brightGreen: "#1a6b2d",
  brightCyan: "#006874",
  brightWhite: "#1a1f24",
}

const schemes = matchMedia("(prefers-color-scheme: dark)")

/** A terminal in an element. */
export class Output {
  readonly #terminal = new Terminal({
    convertEol: true,
    disableStdin: true,
    fontFamily: "ui-monospace, Menlo, Consolas, monospace",
    fontSize: 13,
    scrollback,
    theme: schemes.matches ? dark : light,
  })
  readonly #fit = new FitAddon()

  constructor(element: HTMLElement) {
    this.#terminal.loadAddon(this.#fit)
    this.#terminal.open(element)
    // Tab moves on, as everywhere on the page: nobody types into this terminal.
    this.#terminal.attachCustomKeyEventHandler((event) => event.key !== "Tab")
    schemes.addEventListener("change", () => {
      this.#terminal.options.theme = schemes.matches ? dark : light
    })
    new ResizeObserver(() => this.fit()).observe(element)
  }

  /** Takes the room that there is. */
  fit(): void {
    this.#fit.fit()
  }

  /** Starts anew. */
  clear(): void {
    this.#terminal.reset()
  }

  /** Writes; resolves when the terminal has taken it, so that who writes is no faster than it can show. */
  write(text: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(text, resolve))
  }

  /** Says everything to a screen reader as it comes, or nothing. */
  readAloud(on: boolean): void {
    this.#terminal.options.screenReaderMode = on
  }

  /** The text of the last lines, without colours. */
  text(lines: number): string {
    const { active } = this.#terminal.buffer
    const texts: Array<string> = []
    for (let at = Math.max(0, active.length - lines); at < active.length; at++) {
      texts.push(active.getLine(at)?.translateToString(true) ?? "")
    }
    return texts.join("\n").trimEnd()
  }
}
