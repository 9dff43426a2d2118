/**
 * Tracks the modes that programs set on the user's terminal, to undo what they left behind: one that was killed, or that
 * runs on without this terminal.
 *
 * Only these: `?1049l`, for one, moves the cursor of a terminal that is not on its alternate screen.
 *
 * Source: xterm's control sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html ("DEC Private Mode Set").
 *
 * @module
 */

/** Modes that are off before: application keys, the mouse, focus, the alternate screen, bracketed paste, synchronized output. */
const offModes: ReadonlySet<string> = new Set(
  ["1", "5", "9", "47", "66", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "1047", "1049"]
    .concat("2004", "2026", "2031"),
)

/** The alternate screen, of programs that draw on the whole screen. */
const screenModes: ReadonlyArray<string> = ["47", "1047", "1049"]

/** Modes that are on before: the end of a line wraps, and the cursor is visible. */
const onModes: ReadonlySet<string> = new Set(["7", "25"])

/** Private modes, the keypad, a soft and a full reset. */
// deno-lint-ignore no-control-regex
const sequence = /\x1b(?:\[\?([0-9;]*)([hl])|([=>c])|\[!p)/g

/** The beginning of a sequence at the end of a piece. */
// deno-lint-ignore no-control-regex
const beginning = /\x1b(?:\[(?:\?[0-9;]{0,100}|!)?)?$/

/** The modes of one terminal. */
export class TerminalModes {
  readonly #changed = new Set<string>()
  #keypad = false
  #cut = ""

  /** Takes the next piece of output. */
  push(piece: string): void {
    const text = this.#cut + piece
    this.#cut = beginning.exec(text)?.[0] ?? ""
    for (const [, modes, final, other] of text.matchAll(sequence)) {
      if (modes !== undefined) { for (const mode of modes.split(";")) this.#change(mode, final === "h") }
      else if (other === "=") this.#keypad = true
      else if (other === ">") this.#keypad = false
      else this.#clear()
    }
  }

  /** Whether the alternate screen is shown. */
  get isAlternate(): boolean {
    return screenModes.some((mode) => this.#changed.has(mode))
  }

  /** The sequences that undo what is set, which is then forgotten; empty if nothing is. */
  reset(): string {
    const text = [...this.#changed].map((mode) => `\x1b[?${mode}${onModes.has(mode) ? "h" : "l"}`).join("")
    const all = text + (this.#keypad ? "\x1b>" : "")
    this.#clear()
    return all
  }

  #change(mode: string, isOn: boolean): void {
    if (!offModes.has(mode) && !onModes.has(mode)) return
    if (isOn === onModes.has(mode)) this.#changed.delete(mode)
    else this.#changed.add(mode)
  }

  #clear(): void {
    this.#changed.clear()
    this.#keypad = false
  }
}
