/** Writes Markdown as it is found: blanks, line ends and marks wait until text follows them. */

/** A mark that is written before the first text after it. */
export interface Mark {
  readonly text: string
  /** Begins the further lines of a block; `undefined` for marks within a line. */
  readonly prefix: string | undefined
  isWritten: boolean
  /** Length of the output after it. */
  start: number
}

/** Levels of lists and quotations that are indented: each line repeats their prefixes. */
const maxLevels = 32

const maxUnderline = 200

export class MarkdownWriter {
  readonly #print: (text: string) => void
  #marks: Array<Mark> = []
  readonly #prefixes: Array<string> = []
  #newlines = 0
  #breaks = 0
  #hasSpace = false
  /** Whether nothing was written on the line after its marks. */
  #isLineStart = true
  #length = 0

  constructor(print: (text: string) => void) {
    this.#print = print
  }

  #put(text: string): void {
    this.#length += text.length
    this.#print(text)
  }

  get #nextLine(): string {
    return `\n${this.#prefixes.join("")}`
  }

  get isLineStart(): boolean {
    return this.#isLineStart
  }

  /** Asks for line ends before what follows: 1, or 2 for an empty line. At the start of a block there are none. */
  newlines(count: 1 | 2): void {
    this.#hasSpace = false
    this.#isLineStart = true
    if (this.#length > 0 && this.#marks.every(({ prefix }) => prefix === undefined)) {
      this.#newlines = Math.max(this.#newlines, count)
    }
  }

  /** Asks for a line end within a paragraph. */
  lineBreak(): void {
    if (this.#isLineStart && this.#breaks === 0) return
    this.#hasSpace = false
    this.#isLineStart = true
    this.#breaks++
  }

  space(): void {
    if (!this.#isLineStart) this.#hasSpace = true
  }

  /** Opens a mark. Within a block, `prefix` begins its further lines. */
  open(text: string, prefix?: string): Mark {
    const mark = { text, prefix: this.#prefixes.length < maxLevels ? prefix : prefix && "", isWritten: false, start: 0 }
    this.#marks.push(mark)
    return mark
  }

  /** Closes a mark with a text, unless nothing was written after it. Returns whether something was. */
  close(mark: Mark, text = ""): boolean {
    if (!mark.isWritten) {
      this.#marks = this.#marks.filter((other) => other !== mark)
      return false
    }
    if (mark.prefix !== undefined) this.#prefixes.pop()
    if (text !== "") this.#put(text)
    return true
  }

  /** Length of what was written after a mark. */
  lengthAfter(mark: Mark): number {
    return this.#length - mark.start
  }

  /** Writes text of a line, with what waits before it. */
  text(text: string): void {
    if (this.#newlines > 0) { for (let left = this.#newlines; left > 0; left--) this.#put(this.#nextLine) }
    else for (let left = this.#breaks; left > 0; left--) this.#put(`  ${this.#nextLine}`)
    if (this.#hasSpace) this.#put(" ")
    this.#newlines = this.#breaks = 0
    this.#hasSpace = false
    for (const mark of this.#marks) {
      this.#put(mark.text)
      if (mark.prefix !== undefined) this.#prefixes.push(mark.prefix)
      mark.isWritten = true
      mark.start = this.#length
    }
    this.#marks = []
    this.#put(text)
    this.#isLineStart = false
  }

  /** Writes a line of a letter below what was written. */
  underline(letter: string, length: number): void {
    this.#put(this.#nextLine + letter.repeat(Math.min(length, maxUnderline)))
  }

  /** Writes lines as they are. */
  lines(lines: ReadonlyArray<string>): void {
    this.text(lines[0] ?? "")
    for (const line of lines.slice(1)) this.#put(this.#nextLine + line)
  }
}
