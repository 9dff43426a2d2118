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
    this.redirections.skipNewlines()
    const start = this.scanner.position
    const operands = [operand()]
    while (this.scanner.consume(operator)) operands.push(operand())
    const [only] = operands
    return only !== undefined && operands.length === 1
      ? only
      : { _tag: "ConditionLogical", operator, operands, span: this.scanner.span(start, this.last) }
  }

  private term(): Condition {
    const { scanner } = this
    this.redirections.skipNewlines()
    const start = scanner.position
    if (scanner.consumeReserved("!")) {
      scanner.enter()
      const operand = this.term()
      scanner.leave()
      return { _tag: "ConditionNot", operand, span: scanner.span(start, this.last) }
    }
    if (scanner.consume("(")) {
      scanner.enter()
      const inner = this.condition()
      this.redirections.skipNewlines()
      scanner.expect(")", "for the parenthesis in the condition")
      scanner.leave()
      this.last = scanner.position
      this.redirections.skipNewlines()
      return inner
    }
    const left = this.operandOf("a condition")
    const first = plainText(left) ?? ""
    if (unary.test(first)) {
      const operand = this.operandOf(`an operand of ${first}`)
      this.redirections.skipNewlines()
      return { _tag: "ConditionUnary", operator: first, operand, span: scanner.span(start, this.last) }
    }
    const operator = this.binary()
    if (operator === undefined) return { _tag: "ConditionWord", word: left, span: scanner.span(start, this.last) }
    const right = this.operandOf(`an operand of ${operator}`, operator)
    this.redirections.skipNewlines()
    return { _tag: "ConditionBinary", operator, left, right, span: scanner.span(start, this.last) }
  }

  private operandOf(expected: string, operator = ""): Word {
    const { scanner } = this
    scanner.skipBlanks()
    const closing = scanner.reservedWord() === "]]"
    const word = closing ? undefined : this.words.word(operator === "=~" ? modes.regex : modes.word, operator !== "=~")
    if (word === undefined) throw scanner.error(expected)
    this.last = scanner.position
    return word
  }

  private binary(): ConditionOperator | undefined {
    const { scanner } = this
    const sign = scanner.operator()
    if (sign === "<" || sign === ">") {
      scanner.consume(sign)
      return sign
    }
    if (sign !== "" || scanner.reservedWord() === "]]" || scanner.peek() === "") return undefined
    const before = scanner.position
    const word = this.words.word(modes.word, false)
    const operator = word === undefined ? undefined : operatorOf(plainText(word))
    if (operator === undefined) throw scanner.error("an operator of two operands", before)
    return operator
  }
}
