/**
 * Parses the expression of `[[ … ]]`.
 *
 * Source: bash(1) "Compound Commands", "CONDITIONAL EXPRESSIONS".
 *
 * @module
 */
import { type Condition, type ConditionOperator, conditionOperators, type Word } from "../SyntaxTree.ts"
import type { RedirectionParser } from "./RedirectionParser.ts"
import type { Scanner } from "./Scanner.ts"
import * as modes from "./textModes.ts"
import { plainText, type WordParser } from "./WordParser.ts"

const unary = /^-[abcdefghknoprstuvwxzGLNORS]$/
const operatorOf = (text: string | undefined): ConditionOperator | undefined =>
  text === "=" ? "==" : conditionOperators.find((operator) => operator === text)

/** Parses conditions. */
export class ConditionParser {
  private readonly scanner: Scanner
  private readonly words: WordParser
  private readonly redirections: RedirectionParser

  /** The end of the last operand. */
  private last = 0

  constructor(scanner: Scanner, words: WordParser, redirections: RedirectionParser) {
    this.scanner = scanner
    this.words = words
    this.redirections = redirections
  }

  /** Parses a condition up to the closing brackets. */
  condition(): Condition {
    return this.logical("||", () => this.logical("&&", () => this.term()))
  }

  private logical(operator: "&&" | "||", operand: () => Condition): Condition {
    this.redirections.newlines()
    const start = this.scanner.pos
    const operands = [operand()]
    while (this.scanner.take(operator)) operands.push(operand())
    const [only] = operands
    return only !== undefined && operands.length === 1
      ? only
      : { _tag: "ConditionLogical", operator, operands, span: this.scanner.span(start, this.last) }
  }

  private term(): Condition {
    const { scanner } = this
    this.redirections.newlines()
    const start = scanner.pos
    if (scanner.takeReserved("!")) {
      scanner.enter()
      const operand = this.term()
      scanner.leave()
      return { _tag: "ConditionNot", operand, span: scanner.span(start, this.last) }
    }
    if (scanner.take("(")) {
      scanner.enter()
      const inner = this.condition()
      this.redirections.newlines()
      scanner.expect(")", "for the parenthesis in the condition")
      scanner.leave()
      this.last = scanner.pos
      this.redirections.newlines()
      return inner
    }
    const left = this.operandOf("a condition")
    const first = plainText(left) ?? ""
    if (unary.test(first)) {
      const operand = this.operandOf(`an operand of ${first}`)
      this.redirections.newlines()
      return { _tag: "ConditionUnary", operator: first, operand, span: scanner.span(start, this.last) }
    }
    const operator = this.binary()
    if (operator === undefined) return { _tag: "ConditionWord", word: left, span: scanner.span(start, this.last) }
    const right = this.operandOf(`an operand of ${operator}`, operator)
    this.redirections.newlines()
    return { _tag: "ConditionBinary", operator, left, right, span: scanner.span(start, this.last) }
  }

  private operandOf(expected: string, operator = ""): Word {
    const { scanner } = this
    scanner.blanks()
    const closing = scanner.reserved() === "]]"
    const word = closing ? undefined : this.words.word(operator === "=~" ? modes.regex : modes.word, operator !== "=~")
    if (word === undefined) throw scanner.error(expected)
    this.last = scanner.pos
    return word
  }

  private binary(): ConditionOperator | undefined {
    const { scanner } = this
    const sign = scanner.operator()
    if (sign === "<" || sign === ">") {
      scanner.take(sign)
      return sign
    }
    if (sign !== "" || scanner.reserved() === "]]" || scanner.peek() === "") return undefined
    const before = scanner.pos
    const word = this.words.word(modes.word, false)
    const operator = word === undefined ? undefined : operatorOf(plainText(word))
    if (operator === undefined) throw scanner.error("an operator of two operands", before)
    return operator
  }
}
