/** Parses the arithmetic within a script, and distinguishes `((` from nested subshells. */
import { type OpaquePart, parseArithmeticRange } from "./parseArithmetic.ts"
import type { Scanner } from "./Scanner.ts"
import { ShellSyntaxError } from "../ShellSyntaxError.ts"
import type { ArithmeticText, Subscript, WordPart } from "../SyntaxTree.ts"
import type { TextMode } from "./textModes.ts"
import * as modes from "./textModes.ts"
import type { WordParser } from "./WordParser.ts"

const maxGuesses = 8

export class ArithmeticTextParser {
  private readonly scanner: Scanner
  private readonly words: WordParser

  constructor(scanner: Scanner, words: WordParser) {
    this.scanner = scanner
    this.words = words
  }

  /** Parses arithmetic up to the end of a text of this kind. */
  arithmeticText(mode: TextMode): ArithmeticText {
    const start = this.scanner.position
    const opaque: Array<OpaquePart> = []
    const parts = this.words.parts(mode, opaque)
    // Parsing the text again, as an expression, costs as much as a few words.
    this.scanner.countSteps(512)
    return {
      _tag: "ArithmeticText",
      parts,
      expression: parseArithmeticRange(this.scanner, start, this.scanner.position, opaque),
      span: this.scanner.span(start),
    }
  }

  /**
   * Parses arithmetic between `((` at `open` and `))`. Returns `undefined` and leaves the position unchanged when only one
   * parenthesis follows, or when the text is a subshell within parentheses, which is known at the first single `)`.
   */
  arithmetic(open: number, opening: string): ArithmeticText | undefined {
    const { scanner } = this
    const second = scanner.afterContinuations(open + 1)
    if (scanner.text[second] !== "(") return undefined
    const known = scanner.toScriptOffset(open)
    const before = scanner.position
    if (scanner.state.notArithmetic.has(known)) return undefined
    const { depth } = scanner.state
    let failure: ShellSyntaxError | undefined
    scanner.state.arithmeticAttempts++
    scanner.position = second + 1
    scanner.enter()
    try {
      const text = this.arithmeticText(modes.arithmetic)
      const last = scanner.afterContinuations(scanner.position + 1)
      if (scanner.peek() === ")" && scanner.text[last] === ")") {
        scanner.position = last + 1
        scanner.leave()
        scanner.state.arithmeticAttempts--
        return text
      }
      if (scanner.peek() === "") failure = scanner.unclosed("))", open)
    } catch (thrown) {
      if (!(thrown instanceof ShellSyntaxError) || thrown === scanner.state.refused) throw thrown
      failure = thrown
      // Locating an error reads the whole text.
      scanner.countSteps(scanner.state.text.length)
    }
    scanner.state.arithmeticAttempts--
    scanner.state.depth = depth
    scanner.state.notArithmetic.add(known)
    if (scanner.state.exhausted || scanner.state.arithmeticAttempts >= maxGuesses) {
      throw failure ?? scanner.error(`"))" for "${opening}"`)
    }
    scanner.position = before
    return undefined
  }

  /** Parses `[…]` after a name, from the bracket on. */
  subscript(): Subscript {
    const open = this.scanner.position
    const subscript = this.subscriptOf(modes.subscript)
    if (Array.isArray(subscript)) throw this.scanner.unclosed("]", open)
    return subscript
  }

  /** Parses a subscript; returns the parts of one that is not closed. */
  subscriptOf(mode: TextMode): Subscript | Array<WordPart> {
    const { scanner } = this
    const open = scanner.position++
    const mark = scanner.peek()
    if ((mark === "@" || mark === "*") && scanner.peek(1) === "]") {
      scanner.position += 2
      return { _tag: "AllElements", mark, span: scanner.span(open) }
    }
    const start = scanner.position
    const opaque: Array<OpaquePart> = []
    const parts = this.words.parts(mode, opaque)
    if (scanner.peek() !== "]") return parts
    const expression = parseArithmeticRange(scanner, start, scanner.position, opaque)
    const word = this.words.wordOf(parts, start, false)
    const text: ArithmeticText = { _tag: "ArithmeticText", parts, expression, span: word.span }
    scanner.position++
    return { _tag: "Index", word, text, span: scanner.span(open) }
  }
}
