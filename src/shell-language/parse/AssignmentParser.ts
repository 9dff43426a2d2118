/**
 * Parses assignments to variables, elements and whole arrays; text that only begins like an assignment becomes a word.
 * Source: bash(1) "PARAMETERS", "Arrays".
 */
import type { ArithmeticTextParser } from "./ArithmeticTextParser.ts"
import type { RedirectionParser } from "./RedirectionParser.ts"
import type { Scanner } from "./Scanner.ts"
import { splitTildes } from "./splitTildes.ts"
import type { ArrayElement, ArrayLiteral, Assignment, Subscript, Word, WordPart } from "../SyntaxTree.ts"
import * as modes from "./textModes.ts"
import type { WordParser } from "./WordParser.ts"

const endsWord = /^[ \t\n;&|()<>]?$/

export class AssignmentParser {
  private readonly scanner: Scanner
  private readonly words: WordParser
  private readonly arithmetic: ArithmeticTextParser
  private readonly redirections: RedirectionParser

  valueAt = 0

  constructor(scanner: Scanner, words: WordParser, arithmetic: ArithmeticTextParser, redirections: RedirectionParser) {
    this.scanner = scanner
    this.words = words
    this.arithmetic = arithmetic
    this.redirections = redirections
  }

  assignment(): Assignment | Word | undefined {
    const { scanner } = this
    const start = scanner.position
    const name = scanner.consumeName()
    let subscript: Subscript | undefined
    if (name !== "" && scanner.peek() === "[") subscript = this.arithmetic.subscript()
    const operator = name === "" ? undefined : this.assigning()
    if (operator !== undefined) {
      this.valueAt = scanner.position
      const value = scanner.peek() === "(" ? this.array() : this.value()
      return { _tag: "Assignment", name, subscript, append: operator === "+=", value, span: scanner.span(start) }
    }
    if (subscript === undefined) {
      scanner.position = start
      return this.words.word()
    }
    const rest = this.words.parts(modes.word, undefined, scanner.state.extglob)
    return this.words.wordOf([...this.asParts(name, subscript), ...rest], start)
  }

  /** Consumes `=` or `+=`, with line continuations before and within it. */
  private assigning(): "=" | "+=" | undefined {
    const { scanner } = this
    const at = scanner.afterContinuations(scanner.position)
    const append = scanner.text[at] === "+"
    const equals = append ? scanner.afterContinuations(at + 1) : at
    if (scanner.text[equals] !== "=") return undefined
    scanner.position = equals + 1
    return append ? "+=" : "="
  }

  private value(): Word {
    const start = this.scanner.position
    return this.words.wordOf(
      splitTildes(this.words.parts(modes.word, undefined, this.scanner.state.extglob), true),
      start,
      false,
    )
  }

  private asParts(name: string, subscript: Subscript): Array<WordPart> {
    const { start, end } = subscript.span
    const literal = (value: string, start: number, end: number): WordPart => ({
      _tag: "Literal",
      value,
      span: { start, end },
    })
    const inner = subscript._tag === "Index" ? subscript.word.parts : [literal(subscript.mark, start + 1, end - 1)]
    return [literal(`${name}[`, start - name.length, start + 1), ...inner, literal("]", end - 1, end)]
  }

  private array(): ArrayLiteral {
    const { scanner } = this
    const start = scanner.position++
    const elements: Array<ArrayElement> = []
    for (this.redirections.skipNewlines(); !scanner.consume(")"); this.redirections.skipNewlines()) {
      if (scanner.atEnd()) throw scanner.unclosed(")", start)
      elements.push(this.element())
    }
    // Text right after the parenthesis would belong to the same word, which bash refuses.
    if (!endsWord.test(scanner.peek())) throw scanner.error('a blank after ")"')
    return { _tag: "ArrayLiteral", elements, span: scanner.span(start) }
  }

  private element(): ArrayElement {
    const { scanner } = this
    const start = scanner.position
    let subscript: Subscript | undefined
    let append = false
    let value: Word
    if (scanner.peek() === "[") {
      subscript = this.arithmetic.subscript()
      const operator = this.assigning()
      append = operator === "+="
      if (operator !== undefined) {
        value = this.value()
      } else {
        const rest = this.words.parts(modes.word, undefined, scanner.state.extglob)
        value = this.words.wordOf([...this.asParts("", subscript), ...rest], start)
        subscript = undefined
      }
    } else value = this.words.requireWord('a word or ")"')
    return { _tag: "ArrayElement", subscript, append, value, span: scanner.span(start) }
  }
}
