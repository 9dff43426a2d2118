/**
 * Parses an arithmetic expression into a syntax tree as bash reads it.
 * Source: bash(1) "ARITHMETIC EVALUATION"; POSIX.1-2024 XCU 2.6.4.
 */
import { quote } from "../../base/quote.ts"
import { assignmentOperator, binaryOperators, operatorPattern } from "./arithmeticOperators.ts"
import { parseNumeral } from "./parseNumeral.ts"
import { type ParseResult, parseResult, positionOf, ShellSyntaxError } from "../ShellSyntaxError.ts"
import {
  type AllElements,
  type Arithmetic,
  type ArithmeticVariable,
  compoundAssignmentOperators,
  type Index,
  type Span,
  type WordPart,
} from "../SyntaxTree.ts"

/** A part that is not plain text, with its range in the text. */
export interface OpaquePart {
  readonly start: number
  readonly end: number
  readonly part: WordPart
}

const blank = /[ \t\n]*/y
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y
const numeral = /[0-9][0-9A-Za-z@_#]*/y
const maxHeight = 1000

// A placeholder error that is never shown, since locating a real error reads the whole text.
const noExpression = new ShellSyntaxError(
  { line: 1, column: 1, offset: 0, found: "text", expected: "an expression", incomplete: false },
)

/** A text, and the spans of its ranges in the whole script. */
interface ArithmeticSource {
  readonly text: string
  readonly span: (start: number, end: number) => Span
}

class ArithmeticParser {
  private readonly source: ArithmeticSource
  private readonly text: string
  private readonly end: number
  private readonly opaque: ReadonlyArray<OpaquePart>
  /** Whether errors are not shown, so that their position need not be computed. */
  private readonly quiet: boolean
  private pos: number
  private next = 0
  /** Height of the last expression; a deep tree would overflow the stack of its evaluator. */
  private height = 0
  private depth = 0

  constructor(source: ArithmeticSource, start: number, end: number, opaque: ReadonlyArray<OpaquePart>, quiet: boolean) {
    this.source = source
    this.text = source.text
    this.pos = start
    this.end = end
    this.opaque = opaque
    this.quiet = quiet
  }

  private span(start: number, end: number): Span {
    return this.source.span(start, end)
  }

  whole(): Arithmetic {
    this.token()
    if (this.pos >= this.end) return { _tag: "ArithmeticNumber", value: 0n, span: this.span(this.pos, this.pos) }
    const tree = this.expression(0)
    if (this.token() !== "" || this.pos < this.end) throw this.error("an operator")
    return tree
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.pos
    const found = pattern.exec(this.text)?.[0] ?? ""
    return this.pos + found.length <= this.end ? found : found.slice(0, Math.max(0, this.end - this.pos))
  }

  /** The operator at the position, after blanks. */
  private token(): string {
    this.pos += this.match(blank).length
    return this.match(operatorPattern)
  }

  private take(wanted: string): boolean {
    if (this.token() !== wanted) return false
    this.pos += wanted.length
    return true
  }

  private raise(height: number): void {
    this.height = height + 1
    if (height >= maxHeight) throw this.error(`an expression of at most ${maxHeight} levels`)
  }

  private expression(level: number): Arithmetic {
    if (++this.depth > maxHeight / 4) throw this.error(`an expression of at most ${maxHeight} levels`)
    this.token()
    const start = this.pos
    let left = this.unary()
    for (;;) {
      // After a value, `++1` is a plus and a sign.
      const operator = this.token().replace(/^(\+\+|--)$/, (twice) => twice.slice(1))
      const height = this.height
      const found = binaryOperators.get(operator)
      if (operator === "?" && level <= 1) {
        this.pos++
        const yes = this.expression(0)
        const yesHeight = this.height
        if (!this.take(":")) throw this.error('":"')
        const no = this.expression(1)
        this.raise(Math.max(height, yesHeight, this.height))
        left = { _tag: "ArithmeticChoice", test: left, yes, no, span: this.span(start, this.pos) }
      } else if (assignmentOperator.test(operator) && left._tag === "ArithmeticVariable") {
        if (level > 1) break
        this.pos += operator.length
        const value = this.expression(1)
        this.raise(this.height)
        left = {
          _tag: "ArithmeticAssignment",
          operator: compoundAssignmentOperators.find((name) => operator === `${name}=`),
          target: left,
          value,
          span: this.span(start, this.pos),
        }
      } else if (found !== undefined && found.level >= level) {
        this.pos += operator.length
        // `**` is right-associative.
        const right = this.expression(found.level + (found.name === "**" ? 0 : 1))
        this.raise(Math.max(height, this.height))
        left = { _tag: "ArithmeticBinary", operator: found.name, left, right, span: this.span(start, this.pos) }
      } else break
    }
    this.depth--
    return left
  }

  private unary(): Arithmetic {
    const operator = this.token()
    const start = this.pos
    if (operator === "++" || operator === "--") {
      this.pos += 2
      this.token()
      if (/[A-Za-z_]/.test(this.text[this.pos] ?? "") && this.pos < this.end) {
        const target = this.variable()
        this.raise(this.height)
        return { _tag: "ArithmeticUpdate", operator, prefix: true, target, span: this.span(start, this.pos) }
      }
      this.pos = start
    }
    const sign = operator[0]
    if (operator !== "" && (sign === "+" || sign === "-" || operator === "!" || operator === "~")) {
      if (operator.length > 1 && operator !== "++" && operator !== "--") throw this.error("an operand")
      if (++this.depth > maxHeight / 4) throw this.error(`an expression of at most ${maxHeight} levels`)
      this.pos++
      const operand = this.unary()
      this.depth--
      this.raise(this.height)
      const name = sign === "+" || sign === "-" ? sign : operator === "!" ? "!" : "~"
      return { _tag: "ArithmeticUnary", operator: name, operand, span: this.span(start, this.pos) }
    }
    return this.operand(operator)
  }

  private operand(operator: string): Arithmetic {
    const start = this.pos
    if (operator === "(") {
      this.pos++
      const inner = this.expression(0)
      if (!this.take(")")) throw this.error('")"')
      return inner
    }
    this.height = 1
    while ((this.opaque[this.next]?.end ?? Infinity) <= this.pos) this.next++
    const opaque = this.opaque[this.next]
    if (opaque?.start === this.pos) {
      this.pos = opaque.end
      // Next to a name or another expansion, this would be only a piece of an operand.
      if (this.opaque[this.next + 1]?.start === this.pos || /[\w#@]/.test(this.text[this.pos] ?? "")) {
        throw this.error("an operator")
      }
      return { _tag: "ArithmeticExpanded", part: opaque.part, span: this.span(start, this.pos) }
    }
    const number = this.match(numeral)
    if (number !== "") {
      const value = parseNumeral(number)
      if (value === undefined) throw this.error("a number")
      this.pos += number.length
      this.notGlued()
      return { _tag: "ArithmeticNumber", value, span: this.span(start, this.pos) }
    }
    if (this.match(identifier) === "") throw this.error("an operand")
    const target = this.variable()
    const update = this.token()
    if (update !== "++" && update !== "--") return target
    this.pos += 2
    return { _tag: "ArithmeticUpdate", operator: update, prefix: false, target, span: this.span(start, this.pos) }
  }

  private notGlued(): void {
    while ((this.opaque[this.next]?.end ?? Infinity) <= this.pos) this.next++
    if (this.opaque[this.next]?.start === this.pos) throw this.error("an operator")
  }

  private variable(): ArithmeticVariable {
    const start = this.pos
    const name = this.match(identifier)
    this.pos += name.length
    this.height = 1
    this.notGlued()
    const subscript = this.text[this.pos] === "[" && this.pos < this.end ? this.subscript() : undefined
    return { _tag: "ArithmeticVariable", name, subscript, span: this.span(start, this.pos) }
  }

  private subscript(): AllElements | Index {
    const open = this.pos++
    const start = this.pos
    const from = this.next
    const mark = this.text[start]
    if ((mark === "@" || mark === "*") && this.text[start + 1] === "]" && start + 1 < this.end) {
      this.pos += 2
      return { _tag: "AllElements", mark, span: this.span(open, this.pos) }
    }
    const expression = this.index(start)
    const parts: Array<WordPart> = []
    let at = start
    const literal = (end: number): void => {
      if (end > at) parts.push({ _tag: "Literal", value: this.text.slice(at, end), span: this.span(at, end) })
    }
    for (let i = from; i < this.opaque.length; i++) {
      const opaque = this.opaque[i]
      if (opaque === undefined || opaque.start >= this.pos) break
      if (opaque.start < start) continue
      literal(opaque.start)
      parts.push(opaque.part)
      at = opaque.end
    }
    literal(this.pos)
    const span = this.span(start, this.pos++)
    return {
      _tag: "Index",
      word: { _tag: "Word", parts, braces: false, span },
      text: { _tag: "ArithmeticText", parts, expression, span },
      span: this.span(open, this.pos),
    }
  }

  /** Parses the expression of a subscript; `undefined` when it can only be a key, once everything is expanded. */
  private index(start: number): Arithmetic | undefined {
    const { depth } = this
    try {
      const expression = this.expression(0)
      this.raise(this.height)
      this.token()
      if (this.text[this.pos] !== "]" || this.pos >= this.end) throw this.error('"]"')
      return expression
    } catch (failure) {
      const end = this.quiet ? -1 : this.text.indexOf("]", start)
      if (!(failure instanceof ShellSyntaxError) || end <= start) throw failure
      this.depth = depth
      this.height = 1
      this.pos = end
      return undefined
    }
  }

  private error(expected: string): ShellSyntaxError {
    if (this.quiet) return noExpression
    const found = this.pos >= this.end ? "the end" : quote(this.text.slice(this.pos, this.pos + 20))
    const place = positionOf(this.text, this.pos)
    return new ShellSyntaxError({ ...place, offset: this.pos, found, expected, incomplete: this.pos >= this.end })
  }
}

/** Parses a range of a script; `undefined` when it is not an expression without being expanded first. */
export const parseArithmeticRange = (
  source: ArithmeticSource,
  start: number,
  end: number,
  opaque: ReadonlyArray<OpaquePart>,
): Arithmetic | undefined => {
  const tree = parseResult(() => new ArithmeticParser(source, start, end, opaque, true).whole())
  return tree._tag === "Success" ? tree.success : undefined
}

/** Parses an arithmetic expression in which everything is expanded, with at most 250 nested operands. An empty text is 0. */
export const parseArithmetic = (text: string): ParseResult<Arithmetic> => {
  const source: ArithmeticSource = { text, span: (start, end) => ({ start, end }) }
  return parseResult(() => new ArithmeticParser(source, 0, text.length, [], false).whole())
}
