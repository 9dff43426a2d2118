/**
 * Reads a script character by character: blanks, comments, operators, reserved words; keeps places, and the limits.
 *
 * @module
 */
import { positionOf, ShellSyntaxError } from "../ShellSyntaxError.ts"
import type { Span } from "../SyntaxTree.ts"

/** How to parse. */
export interface ParseOptions {
  /** Substitutions, compound commands and parentheses within each other; at most 250, for which the stack has
   * room on every runtime. Default: 200. */
  readonly maxDepth?: number | undefined
  /** UTF-16 units. Default: 4,194,304. */
  readonly maxLength?: number | undefined
  /** `@(a|b)` and its like are patterns everywhere, and not only within `[[ ]]`. Default: `false`, as in bash. */
  readonly extglob?: boolean | undefined
  /** Whether `coproc` is read. Default: `false`; it is an error then. */
  readonly coprocesses?: boolean | undefined
  /** The text that a command's first word stands for. Default: no word stands for another. */
  readonly aliases?: ((name: string) => string | undefined) | undefined
}

/** What a script and the texts within it (backquotes, here-documents) have in common. */
export interface Source {
  /** The whole script. */
  readonly text: string
  readonly maxDepth: number
  extglob: boolean
  readonly coprocesses?: boolean
  readonly aliases?: ((name: string) => string | undefined) | undefined
  depth: number
  /** Arithmetic that was begun and may turn out to be a subshell: how many of them within each other. */
  guesses: number
  /** Where `((` turned out not to be arithmetic. */
  readonly notArithmetic: Set<number>
  /** Characters looked at, those looked at again included. */
  steps: number
  /** More than this, and the text is refused: no text that anybody writes needs it. */
  readonly maxSteps: number
  exhausted: boolean
  /** Why the text is refused whatever else it may be taken for. */
  refused: ShellSyntaxError | undefined
}

const operators = new Set(
  ["&", "&&", "&>", "&>>", ";", ";;", ";&", ";;&", "|", "||", "|&", "(", ")", "\n"].concat(
    ["<", "<<", "<<-", "<<<", "<>", "<&", ">", ">>", ">|", ">&"],
  ),
)

/** The operators that begin a redirection. */
export const isRedirection = (operator: string): boolean => /^&?[<>]/.test(operator)

const metacharacter = /[ \t\n;&|()<>]/
const notReserved = /[^a-z{}![\]]/

/** Where {@link Reader} stands may be a text within the script: `place` tells where that is in the whole. */
export abstract class Reader {
  text: string
  readonly source: Source
  protected place: (offset: number) => number
  pos = 0
  /** How much longer the text became by aliases. */
  private grown = 0

  constructor(source: Source, text: string, place: (offset: number) => number) {
    this.source = source
    this.text = text
    this.place = place
  }

  /** Puts a text in the place of another; all of it stands where the other began. */
  protected replace(start: number, end: number, by: string): void {
    const { place } = this
    const delta = by.length - (end - start)
    this.text = this.text.slice(0, start) + by + this.text.slice(end)
    this.place = (offset) => place(offset <= start ? offset : offset < start + by.length ? start : offset - delta)
    this.grown += delta
    this.step(this.text.length)
  }

  span(start: number, end: number = this.pos): Span {
    return { start: this.place(start), end: this.place(end) }
  }

  /** The character at the place, or some places ahead; empty at the end. */
  peek(ahead = 0): string {
    return this.text[this.pos + ahead] ?? ""
  }

  /** Counts work, and refuses more of it than any text needs. */
  step(characters: number): void {
    this.source.steps += characters
    if (this.source.steps <= this.source.maxSteps || this.source.exhausted) return
    this.source.exhausted = true
    throw this.error("a text that is read in fewer steps")
  }

  enter(): void {
    if (++this.source.depth > this.source.maxDepth) {
      throw this.error(`at most ${this.source.maxDepth} levels within each other`)
    }
  }

  leave(): void {
    this.source.depth--
  }

  /** The first place from `at` on where no line continuation stands. */
  afterContinuations(at: number): number {
    let next = at
    while (this.text[next] === "\\" && this.text[next + 1] === "\n") next += 2
    return next
  }

  /** Passes line continuations, which are taken off before anything else is seen. */
  continuations(): void {
    this.pos = this.afterContinuations(this.pos)
  }

  /** Passes blanks, continuations and a comment. */
  blanks(): void {
    const start = this.pos
    for (;;) {
      const c = this.peek()
      if (c === " " || c === "\t") this.pos++
      else if (c === "\\" && this.peek(1) === "\n") this.pos += 2
      else break
    }
    if (this.peek() === "#") {
      const end = this.text.indexOf("\n", this.pos)
      this.pos = end < 0 ? this.text.length : end
    }
    this.step(this.pos - start + 1)
  }

  /** The operator at the place, after blanks, and where it ends; empty when there is none. */
  protected operatorEnd = 0
  operator(): string {
    this.blanks()
    let found = ""
    if (!"&;|()<>\n".includes(this.peek())) return found
    for (
      let at = this.pos, next = this.peek();
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

  /** Takes an operator if it is the one at the place. */
  take(operator: string): boolean {
    if (this.operator() !== operator) return false
    this.pos = this.operatorEnd
    return true
  }

  /** The word of letters, braces, brackets and `!` at the place, when all of it is such; otherwise empty. */
  private reservedEnd = 0
  reserved(): string {
    this.blanks()
    let found = ""
    for (let at = this.pos;;) {
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

  /** Takes a reserved word if it is the one at the place. */
  takeReserved(word: string): boolean {
    if (this.reserved() !== word) return false
    this.pos = this.reservedEnd
    return true
  }

  expect(operator: string, of: string): void {
    if (!this.take(operator)) throw this.error(`"${operator}" ${of}`)
  }

  expectReserved(word: string, of: string): void {
    if (!this.takeReserved(word)) throw this.error(`"${word}" ${of}`)
  }

  /** An error at the place, which says what stands there. */
  error(expected: string, at: number = this.pos): ShellSyntaxError {
    this.pos = at
    const operator = this.operator()
    const c = this.peek()
    const end = /[ \t\n;&|()<>]|$/g
    end.lastIndex = this.pos + 1
    const word = operator || this.text.slice(this.pos, Math.min(end.exec(this.text)?.index ?? at, this.pos + 40))
    const found = c === "" ? "the end" : c === "\n" ? "a newline" : JSON.stringify(word)
    const offset = this.place(this.pos)
    return this.errorOf(found, expected, offset, c === "" && offset >= this.source.text.length)
  }

  /** An error because something that was opened is not closed before the text ends. */
  unclosed(closing: string, opened: number): ShellSyntaxError {
    const { line, column } = positionOf(this.source.text, this.place(opened))
    const whole = this.text.length - this.grown === this.source.text.length
    const end = this.place(this.text.length)
    const quoted = closing === '"' ? `'"'` : `"${closing}"`
    return this.errorOf("the end", `${quoted} for what is opened at line ${line}, column ${column}`, end, whole)
  }

  /** An error about what bash would read in another way: no other reading of the text is tried. */
  refusal(expected: string, at: number): ShellSyntaxError {
    return this.source.refused = this.error(expected, at)
  }

  private errorOf(found: string, expected: string, offset: number, incomplete: boolean): ShellSyntaxError {
    return new ShellSyntaxError({ ...positionOf(this.source.text, offset), offset, found, expected, incomplete })
  }
}
