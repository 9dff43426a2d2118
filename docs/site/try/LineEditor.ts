/** Edits a command line in a terminal: keys in, escape sequences out; with a history and completion. */

/** The terminal and the program around the editor. */
export interface LineEditorOptions {
  readonly write: (text: string) => void
  /** Columns of the terminal. */
  readonly columns: () => number
  readonly submit: (line: string) => void
  /** Called for Ctrl-C, after the line was dropped. */
  readonly cancel: () => void
  /** Returns the words that the text before the cursor may end in, and how many characters of it they replace. */
  readonly complete: (
    before: string,
  ) => { readonly words: ReadonlyArray<string>; readonly length: number }
}

const maxHistory = 500
const maxLength = 65_536

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })
const wide =
  /^[\p{Emoji_Presentation}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u{3000}-\u{303e}\u{ff01}-\u{ff60}]/u
const graphemesOf = (text: string): Array<string> => Array.from(segmenter.segment(text), ({ segment }) => segment)

/** The row and column after some characters, from the start of the line; a full row continues on the next one. */
const placeAfter = (
  characters: ReadonlyArray<string>,
  columns: number,
): readonly [row: number, column: number] => {
  let [row, column] = [0, 0]
  for (const character of characters) {
    const width = character === "\n" ? columns : wide.test(character) ? 2 : 1
    if (character === "\n" || column + width > columns) {
      ;[row, column] = [row + 1, 0]
    }
    if (character !== "\n") column += width
    if (column === columns) [row, column] = [row + 1, 0]
  }
  return [row, column]
}

// deno-lint-ignore no-control-regex -- keys are control characters
const keys = /\x1b\[[\d;]*[A-Za-z~]|\x1bO[A-Za-z]|\x1b[\s\S]?|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g

/** A line that is typed at a prompt. */
export class LineEditor {
  readonly #options: LineEditorOptions
  readonly #history: Array<string> = []
  #prompt = ""
  #characters: Array<string> = []
  /** Index of the character at the cursor. */
  #at = 0
  /** Row of the cursor below that of the prompt. */
  #row = 0
  /** Index in the history; its length is the line that was being typed. */
  #recalled = 0
  #draft = ""

  constructor(options: LineEditorOptions) {
    this.#options = options
  }

  get text(): string {
    return this.#characters.join("")
  }

  /** Shows a prompt with an empty line. */
  open(prompt: string): void {
    this.#prompt = prompt
    this.#row = 0
    this.#recalled = this.#history.length
    this.#set("")
  }

  /** Adds a script to the history. */
  remember(script: string): void {
    if (script.trim() !== "" && script !== this.#history.at(-1)) {
      this.#history.push(script)
    }
    if (this.#history.length > maxHistory) this.#history.shift()
  }

  /** Takes typed or pasted text up to the end of a line; returns the rest, which comes after it. */
  type(data: string): string {
    for (const { 0: key, index } of data.matchAll(keys)) {
      if (key === "\r" || key === "\n") {
        this.#move(this.#characters.length)
        this.#options.write("\r\n")
        this.#options.submit(this.text)
        return data.slice(index + 1)
      }
      if (key === "\x03") {
        this.#move(this.#characters.length)
        this.#options.write("^C\r\n")
        this.#options.cancel()
        return data.slice(index + 1)
      }
      this.#press(key)
    }
    return ""
  }

  /** Draws the line again, after the terminal was cleared or has another width. */
  redraw(): void {
    const columns = this.#options.columns()
    const [endRow] = placeAfter([
      ...this.#promptCharacters,
      ...this.#characters,
    ], columns)
    const [row, column] = this.#cursor()
    const up = this.#row > 0 ? `\x1b[${this.#row}A` : ""
    // After a full row the terminal stays in its last column until one more character comes.
    const [, endColumn] = placeAfter([
      ...this.#promptCharacters,
      ...this.#characters,
    ], columns)
    const wrap = endColumn === 0 && endRow > 0 ? " \r" : ""
    const back = endRow > row ? `\x1b[${endRow - row}A` : ""
    const right = column > 0 ? `\x1b[${column}C` : ""
    const text = this.text.replaceAll("\n", "\r\n")
    this.#options.write(
      `${up}\r\x1b[J\x1b[1;36m${this.#prompt}\x1b[0m${text}${wrap}${back}\r${right}`,
    )
    this.#row = row
  }

  get #promptCharacters(): ReadonlyArray<string> {
    return graphemesOf(this.#prompt)
  }

  #cursor(): readonly [row: number, column: number] {
    return placeAfter([
      ...this.#promptCharacters,
      ...this.#characters.slice(0, this.#at),
    ], this.#options.columns())
  }

  #set(text: string, at = Infinity): void {
    this.#characters = graphemesOf(text)
    this.#at = Math.min(at, this.#characters.length)
    this.redraw()
  }

  #move(to: number): void {
    this.#at = Math.max(0, Math.min(to, this.#characters.length))
    this.redraw()
  }

  #insert(text: string): void {
    if (this.#characters.length + text.length > maxLength) {
      return this.#options.write("\x07")
    }
    const before = this.#characters.slice(0, this.#at).join("") + text
    this.#set(
      before + this.#characters.slice(this.#at).join(""),
      graphemesOf(before).length,
    )
  }

  #remove(from: number, to: number): void {
    if (from < 0) return
    this.#characters.splice(from, to - from)
    this.#move(from)
  }

  /** The start of the word before the cursor, or the end of the one after it. */
  #wordEnd(step: -1 | 1): number {
    let at = this.#at
    const next = () => this.#characters[step < 0 ? at - 1 : at]
    while (next() === " ") at += step
    while (next() !== undefined && next() !== " ") at += step
    return at
  }

  #recall(step: -1 | 1): void {
    const to = this.#recalled + step
    if (to < 0 || to > this.#history.length) return
    if (this.#recalled === this.#history.length) this.#draft = this.text
    this.#recalled = to
    this.#set(this.#history[to] ?? this.#draft)
  }

  #complete(): void {
    const { length, words } = this.#options.complete(
      this.#characters.slice(0, this.#at).join(""),
    )
    const [first = "", ...others] = words
    let common = first
    for (const word of others) {
      while (!word.startsWith(common)) common = common.slice(0, -1)
    }
    if (common.length > length) this.#insert(common.slice(length))
    else if (words.length > 1) {
      const shown = words.slice(0, 100).map((word) => word.trimEnd()).join("  ")
      const end = this.#at
      this.#move(this.#characters.length)
      this.#options.write(
        `\r\n${shown}${words.length > 100 ? `  … ${words.length - 100} more` : ""}\r\n`,
      )
      this.#row = 0
      this.#move(end)
    }
  }

  readonly #commands: Readonly<Record<string, () => void>> = {
    "\x01": () => this.#move(0),
    "\x02": () => this.#move(this.#at - 1),
    "\x05": () => this.#move(this.#characters.length),
    "\x06": () => this.#move(this.#at + 1),
    "\x08": () => this.#remove(this.#at - 1, this.#at),
    "\t": () => this.#complete(),
    "\x0b": () => this.#remove(this.#at, this.#characters.length),
    "\x0c": () => {
      this.#options.write("\x1b[2J\x1b[H")
      this.#row = 0
      this.redraw()
    },
    "\x0e": () => this.#recall(1),
    "\x10": () => this.#recall(-1),
    "\x15": () => this.#remove(0, this.#at),
    "\x17": () => this.#remove(this.#wordEnd(-1), this.#at),
    "\x7f": () => this.#remove(this.#at - 1, this.#at),
    "\x1b[A": () => this.#recall(-1),
    "\x1b[B": () => this.#recall(1),
    "\x1b[C": () => this.#move(this.#at + 1),
    "\x1b[D": () => this.#move(this.#at - 1),
    "\x1b[H": () => this.#move(0),
    "\x1b[F": () => this.#move(this.#characters.length),
    "\x1b[3~": () => this.#remove(this.#at, this.#at + 1),
    "\x1b[1;5C": () => this.#move(this.#wordEnd(1)),
    "\x1b[1;5D": () => this.#move(this.#wordEnd(-1)),
    "\x1bb": () => this.#move(this.#wordEnd(-1)),
    "\x1bf": () => this.#move(this.#wordEnd(1)),
  }

  #press(key: string): void {
    const command = this.#commands[key.replace("\x1bO", "\x1b[")]
    if (command !== undefined) command()
    else if (key >= " ") this.#insert(key)
  }
}
