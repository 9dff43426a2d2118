/**
 * Tracks the modes that programs set on the user's terminal, to undo them after a program was killed or detached.
 *
 * Only modes that were set are undone: `?1049l`, for example, moves the cursor of a terminal that is not on its alternate
 * screen. Colours, margins, insert mode and character sets are reset, too.
 *
 * Source: xterm's control sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html ("DEC Private Mode Set").
 */
import { TerminalParser } from "../../terminal/TerminalParser.ts"

const ignore = (): void => {}

/**
 * Modes that are off by default: application keys, the mouse, focus, the alternate screen, bracketed paste,
 * synchronized output.
 */
const offModes: ReadonlySet<string> = new Set(
  ["1", "5", "9", "47", "66", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "1047", "1049"]
    .concat("2004", "2026", "2031"),
)

/** The alternate screen, of programs that draw on the whole screen. */
const screenModes: ReadonlyArray<string> = ["47", "1047", "1049"]

/** Modes that are on by default: the end of a line wraps, and the cursor is visible. */
const onModes: ReadonlySet<string> = new Set(["7", "25"])

export class TerminalModes {
  readonly #changed = new Set<string>()
  /** Other changed settings: the sequence that undoes each, by its kind. */
  readonly #others = new Map<string, string>()
  readonly #parser = new TerminalParser({
    text: ignore,
    control: (character) => {
      if (character === "\x0e") this.#others.set("shift", "\x0f")
      else if (character === "\x0f") this.#others.delete("shift")
    },
    escape: (sequence) => this.#escape(sequence),
    csi: (parameters, name) => this.#csi(parameters, name),
  })

  push(piece: string): void {
    this.#parser.push(piece)
  }

  get isAlternate(): boolean {
    return screenModes.some((mode) => this.#changed.has(mode))
  }

  /** The sequences that undo the modes that are set, which are then forgotten; empty if none is set. */
  reset(): string {
    const modes = [...this.#changed].map((mode) => `\x1b[?${mode}${onModes.has(mode) ? "h" : "l"}`)
    const all = [...modes, ...this.#others.values()].join("")
    this.#clear()
    return all
  }

  #escape(sequence: string): void {
    const [kind = "", designated] = sequence
    if (sequence === "=") this.#others.set("keypad", "\x1b>")
    else if (sequence === ">") this.#others.delete("keypad")
    else if (sequence === "c") this.#clear()
    else if (designated === "B") this.#others.delete(kind)
    else if (kind === "(" || kind === ")") this.#others.set(kind, `\x1b${kind}B`)
  }

  #csi(parameters: string, name: string): void {
    const isOn = name === "h"
    if (name === "!p") this.#clear()
    else if (name === "m" && /^[\d:;]*$/.test(parameters)) this.#set("style", !/(?:^|;)0*$/.test(parameters), "\x1b[m")
    else if (name === "r") this.#set("margins", parameters !== "", "\x1b7\x1b[r\x1b8")
    else if (!isOn && name !== "l") return
    else if (parameters === "4") this.#set("insert", isOn, "\x1b[4l")
    else if (parameters.startsWith("?")) {
      for (const mode of parameters.slice(1).split(";")) this.#change(mode, isOn)
    }
  }

  #set(kind: string, isOn: boolean, undo: string): void {
    if (isOn) this.#others.set(kind, undo)
    else this.#others.delete(kind)
  }

  #change(mode: string, isOn: boolean): void {
    if (!offModes.has(mode) && !onModes.has(mode)) return
    if (isOn === onModes.has(mode)) this.#changed.delete(mode)
    else this.#changed.add(mode)
  }

  #clear(): void {
    this.#changed.clear()
    this.#others.clear()
  }
}
