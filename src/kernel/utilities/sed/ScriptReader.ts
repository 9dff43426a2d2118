/** Reads the tokens of a `sed` script. */
export class ScriptError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The characters of escapes such as `\t`. */
export const controls: Readonly<Record<string, string>> = {
  a: "\x07",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
}

/** A position in a script, a binary string. */
export class ScriptReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  fail(message: string): never {
    throw new ScriptError(`-e expression #1, char ${this.#at}: ${message}`)
  }

  peek(): string {
    return this.#text[this.#at] ?? ""
  }

  take(): string {
    return this.#text[this.#at++] ?? ""
  }

  skip(characters: RegExp): void {
    while (!this.isAtEnd && characters.test(this.peek())) this.#at++
  }

  skipBlanks(): void {
    this.skip(/[ \t]/)
  }

  takeWord(characters: RegExp): string {
    this.skipBlanks()
    const from = this.#at
    this.skip(characters)
    return this.#text.slice(from, this.#at)
  }

  takeNumber(): number | undefined {
    const digits = /^[0-9]+/.exec(this.#text.slice(this.#at, this.#at + 16))?.[0]
    if (digits === undefined) return undefined
    this.#at += digits.length
    return Number(digits)
  }

  /** Skips blanks and fails unless the command ends here. */
  expectEnd(message = "extra characters after command"): void {
    this.skipBlanks()
    if (!/^[;\n}#]?$/.test(this.peek())) this.fail(message)
  }

  /** Takes a pattern up to its delimiter. In a bracket expression the delimiter is an ordinary character. */
  takePattern(delimiter: string, extended: boolean, isAddress = false): string {
    // `s|a\|b|x|`: an escaped delimiter is the character itself, not an operator.
    return this.#takeUntil(delimiter, true, isAddress, (letter) => !extended && /[.*[\]^$]/.test(letter))
  }

  /** Takes a replacement, or one of the texts of `y`, up to its delimiter. */
  takeReplacement(delimiter: string): string {
    return this.#takeUntil(delimiter, false, false, (letter) => letter === "&")
  }

  /** `keepsEscape` decides whether an escaped delimiter keeps its backslash. */
  #takeUntil(
    delimiter: string,
    isPattern: boolean,
    isAddress: boolean,
    keepsEscape: (letter: string) => boolean,
  ): string {
    let out = ""
    for (;;) {
      const letter = this.peek()
      if (letter === "" || (letter === "\n" && isAddress && delimiter !== "\n")) {
        this.fail(isAddress ? "unterminated address regex" : "unterminated `s' command")
      }
      this.#at++
      if (letter === delimiter) return out
      if (letter === "[" && isPattern) {
        const end = this.#findBracketEnd()
        out += this.#text.slice(this.#at - 1, end)
        this.#at = end
      } else if (letter !== "\\") out += letter
      else {
        const next = this.take()
        if (next !== delimiter) out += `\\${next}`
        else out += keepsEscape(next) ? `\\${next}` : next
      }
    }
  }

  /** The index after a bracket expression; the current one if it is not closed, which the regex parser reports. */
  #findBracketEnd(): number {
    let at = this.#at
    if (this.#text[at] === "^") at++
    for (let first = true; at < this.#text.length && this.#text[at] !== "\n"; first = false) {
      if (this.#text[at] === "]" && !first) return at + 1
      const kind = this.#text[at] === "[" ? this.#text[at + 1] ?? "" : ""
      const close = /^[:.=]$/.test(kind) ? this.#text.indexOf(`${kind}]`, at + 2) : -1
      at = close < 0 ? at + 1 : close + 2
    }
    return this.#at
  }

  /** Takes the text of `a`, `i` or `c`: to the end of the line; a backslash continues it. */
  takeText(): string {
    this.skipBlanks()
    if (this.peek() === "\\") {
      this.#at++
      const from = this.#at
      this.skipBlanks()
      // Blanks after the backslash belong to a text on the same line.
      const isNextLine = this.peek() === "\n"
      if (isNextLine) this.#at++
      else this.#at = from
      if (this.isAtEnd) return isNextLine ? "\n" : ""
    } else if (this.isAtEnd || this.peek() === "\n") this.fail("expected \\ after `a', `c' or `i'")
    let out = ""
    while (!this.isAtEnd && this.peek() !== "\n") {
      const letter = this.take()
      if (letter !== "\\") out += letter
      else if (!this.isAtEnd) {
        const next = this.take()
        out += controls[next] ?? next
      }
    }
    return `${out}\n`
  }
}
