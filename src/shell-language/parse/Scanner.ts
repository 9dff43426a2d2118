/** Scans a script's text for its smallest parts, and enforces the limits on depth and work. */
import { quote } from "../../base/quote.ts"
import { positionOf, ShellSyntaxError } from "../ShellSyntaxError.ts"
import type { Span } from "../SyntaxTree.ts"

export interface ParseOptions {
  /** Nesting depth of substitutions, compound commands and parentheses: at most 250, for the stack. Default: 200. */
  readonly maxDepth?: number | undefined
  /** Length of the text in UTF-16 units. Default: 4,194,304. */
  readonly maxLength?: number | undefined
  /** Reads `@(a|b)` and the other extended patterns everywhere, not only within `[[ ]]`. Default: `false`, as in bash. */
  readonly extglob?: boolean | undefined
  /** Accepts `coproc`. Default: `false`, which makes it a syntax error. */
  readonly coprocesses?: boolean | undefined
  /** Returns the text of an alias. Default: no aliases. */
  readonly aliases?: ((name: string) => string | undefined) | undefined
}

/** State shared by the parsers of a script and of the texts within it (backquotes, here-documents). */
export interface ParserState {
  readonly text: string
  readonly maxDepth: number
  extglob: boolean
  readonly coprocesses?: boolean
  readonly aliases?: ((name: string) => string | undefined) | undefined
  depth: number
  /** Nesting depth of attempts to read `((` as arithmetic, each of which may turn out to be a subshell. */
  arithmeticAttempts: number
  /** Positions where `((` is known not to begin arithmetic. */
  readonly notArithmetic: Set<number>
  /**
   * Work so far: the number of pieces of text that a rule examined, including repetitions; 64 characters count as one
   * more.
   */
  steps: number
  /** Maximum number of steps, after which the text is refused; no script that people write needs them at once. */
  readonly maxSteps: number
  exhausted: boolean
  /** An error that ends parsing even if another interpretation of the text could be tried. */
  refused: ShellSyntaxError | undefined
}

const operators = new Set(
  ["&", "&&", "&>", "&>>", ";", ";;", ";&", ";;&", "|", "||", "|&", "(", ")", "\n"].concat(
    ["<", "<<", "<<-", "<<<", "<>", "<&", ">", ">>", ">|", ">&"],
  ),
)

export const isRedirectionOperator = (operator: string): boolean => /^&?[<>]/.test(operator)

const metacharacter = /[ \t\n;&|()<>]/
const shownWord = /^[^][^ \t\n;&|()<>]*/
const notReserved = /[^a-z{}![\]]/
const reservedWordPattern = /[a-z{}![\]]{1,9}(?=[ \t\n;&|()<>]|$)/y
const nameStart = /[A-Za-z_][A-Za-z0-9_]*/y
const nameRest = /[A-Za-z0-9_]+/y

/** A position in a text: the script itself, or a text within it. */
export class Scanner {
  text: string
  readonly state: ParserState
  /** Maps an offset in {@link text} to one in the whole script. */
  toScriptOffset: (offset: number) => number
  position = 0
  /** The end of the last statement, command or redirection, without the blanks after it. */
  ended = 0
  /** Number of characters that aliases added to the text. */
  private grown = 0
  /** Whether a line continuation may stand within a word. */
  private isContinued: boolean

  constructor(state: ParserState, text: string, place: (offset: number) => number) {
    this.state = state
    this.text = text
    this.toScriptOffset = place
    this.isContinued = text.includes("\\\n")
  }

  /** Replaces a range of the text. All of the replacement is located where the range began. */
  replace(start: number, end: number, by: string): void {
    const { toScriptOffset: place } = this
    const delta = by.length - (end - start)
    this.text = this.text.slice(0, start) + by + this.text.slice(end)
    this.toScriptOffset = (offset) =>
      place(offset <= start ? offset : offset < start + by.length ? start : offset - delta)
    this.grown += delta
    this.isContinued ||= this.text.includes("\\\n")
    this.operatorAt = -1
    this.countSteps(this.text.length)
  }

  span(start: number, end: number = this.position): Span {
    return { start: this.toScriptOffset(start), end: this.toScriptOffset(end) }
  }

  /** The character at the position, or some characters ahead; empty at the end. */
  peek(ahead = 0): string {
    return this.text[this.position + ahead] ?? ""
  }

  /** Counts work, and fails when a text needs too much of it. */
  countSteps(characters: number): void {
    this.state.steps += 1 + characters / 64
    if (this.state.steps <= this.state.maxSteps || this.state.exhausted) return
    this.state.exhausted = true
    throw this.error(`a shorter command: this one takes more than ${this.state.maxSteps} steps to parse`)
  }

  enter(): void {
    if (++this.state.depth > this.state.maxDepth) {
      throw this.error(`at most ${this.state.maxDepth} nested levels`)
    }
  }

  leave(): void {
    this.state.depth--
  }

  /** The first position from `at` on that is not a line continuation. */
  afterContinuations(at: number): number {
    let next = at
    while (this.text[next] === "\\" && this.text[next + 1] === "\n") next += 2
    return next
  }

  skipContinuations(): void {
    this.position = this.afterContinuations(this.position)
  }

  /** Skips blanks, line continuations and a comment. */
  skipBlanks(): void {
    const start = this.position
    for (;;) {
      const c = this.peek()
      if (c === " " || c === "\t") this.position++
      else if (c === "\\" && this.peek(1) === "\n") this.position += 2
      else break
    }
    if (this.peek() === "#") {
      const end = this.text.indexOf("\n", this.position)
      this.position = end < 0 ? this.text.length : end
    }
    if (this.position > start) this.countSteps(this.position - start)
  }

  private operatorEnd = 0
  /** The last answer of {@link operator} and its position, because several rules examine each operator. */
  private operatorFound = ""
  private operatorAt = -1

  /** The operator at the position, after blanks; empty when there is none. */
  operator(): string {
    if (this.position === this.operatorAt) return this.operatorFound
    this.skipBlanks()
    this.operatorFound = this.findOperator()
    this.operatorAt = this.position
    return this.operatorFound
  }

  private findOperator(): string {
    let found = ""
    if (!"&;|()<>\n".includes(this.peek())) return found
    for (
      let at = this.position, next = this.peek();
      next !== "" && operators.has(found + next);
      next = this.text[at] ?? ""
    ) {
      found += next
      this.operatorEnd = ++at
      while (this.text[at] === "\\" && this.text[at + 1] === "\n") at += 2
    }
    // `<(` and `>(` begin a word.
    return (found === "<" || found === ">") && this.text[this.operatorEnd] === "(" ? "" : found
  }

  atEnd(): boolean {
    return this.operator() === "" && this.peek() === ""
  }

  consume(operator: string): boolean {
    if (this.operator() !== operator) return false
    this.position = this.operatorEnd
    return true
  }

  private reservedEnd = 0

  /** The word at the position if it consists of small letters, braces, brackets and `!` only; otherwise empty. */
  reservedWord(): string {
    this.skipBlanks()
    reservedWordPattern.lastIndex = this.position
    let found = reservedWordPattern.exec(this.text)?.[0] ?? ""
    this.reservedEnd = this.position + found.length
    if (found !== "" || !this.isContinued) return found
    for (let at = this.position;;) {
      const c = this.text[at] ?? ""
      if (c === "\\" && this.text[at + 1] === "\n") at += 2
      else if (c === "" || metacharacter.test(c)) {
        this.reservedEnd = at
        return found
      } else if (found.length > 8 || notReserved.test(c)) return ""
      else {
        found += c
        at++
      }
    }
  }

  consumeReserved(word: string): boolean {
    if (this.reservedWord() !== word) return false
    this.position = this.reservedEnd
    return true
  }

  expect(operator: string, of: string): void {
    if (!this.consume(operator)) throw this.error(`"${operator}" ${of}`)
  }

  /** Consumes a name; empty when there is none. */
  consumeName(): string {
    return this.consumeRun(nameStart, nameRest)
  }

  /** Consumes what a sticky expression matches, and after each line continuation what `rest` matches. */
  consumeRun(first: RegExp, rest: RegExp = first): string {
    let run = ""
    for (let pattern = first;; pattern = rest) {
      this.skipContinuations()
      pattern.lastIndex = this.position
      const found = pattern.exec(this.text)?.[0] ?? ""
      this.countSteps(found.length)
      run += found
      this.position += found.length
      if (found === "" || !this.isContinued) return run
    }
  }

  /** An error that reports the text at a position, and the expected one. */
  error(expected: string, at: number = this.position): ShellSyntaxError {
    this.position = at
    const operator = this.operator()
    const c = this.peek()
    const word = operator || shownWord.exec(this.text.slice(this.position, this.position + 40))?.[0]
    const found = c === "" ? "the end" : c === "\n" ? "a newline" : quote(word ?? c)
    const offset = this.toScriptOffset(this.position)
    return this.errorOf(found, expected, offset, c === "" && offset >= this.state.text.length)
  }

  /** An error for a construct that is not closed before the text ends. */
  unclosed(closing: string, opened: number): ShellSyntaxError {
    const { line, column } = positionOf(this.state.text, this.toScriptOffset(opened))
    const whole = this.text.length - this.grown === this.state.text.length
    const end = this.toScriptOffset(this.text.length)
    const quoted = closing === '"' ? `'"'` : `"${closing}"`
    return this.errorOf("the end", `${quoted} for the opening at line ${line}, column ${column}`, end, whole)
  }

  /** An error for text that bash interprets differently. No other interpretation is tried. */
  refusal(expected: string, at: number): ShellSyntaxError {
    return this.state.refused = this.error(expected, at)
  }

  private errorOf(found: string, expected: string, offset: number, incomplete: boolean): ShellSyntaxError {
    return new ShellSyntaxError({ ...positionOf(this.state.text, offset), offset, found, expected, incomplete })
  }
}
