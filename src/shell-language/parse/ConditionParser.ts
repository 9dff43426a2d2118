/**
 * The expression of `[[ … ]]`.
 *
 * Source: bash(1) "Compound Commands", "CONDITIONAL EXPRESSIONS".
 *
 * @module
 */
import { Redirects } from "./RedirectionParser.ts"
import type { Condition, ConditionOperator, Word } from "../SyntaxTree.ts"
import { modes, plainText } from "./WordParser.ts"

const unary = /^-[abcdefghknoprstuvwxzGLNORS]$/
const named: ReadonlyMap<string, ConditionOperator> = new Map<string, ConditionOperator>([
  ["=", "=="],
  ...(["==", "!=", "=~", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"] as const).map(
    (operator): [string, ConditionOperator] => [operator, operator],
  ),
])

/** Conditions. */
export abstract class Conditions extends Redirects {
  /** Up to the closing brackets. */
  protected condition(): Condition {
    return this.logical("||", () => this.logical("&&", () => this.term()))
  }

  private logical(operator: "&&" | "||", operand: () => Condition): Condition {
    this.newlines()
    const start = this.pos
    const operands = [operand()]
    while (this.take(operator)) operands.push(operand())
    const [only] = operands
    return only !== undefined && operands.length === 1
      ? only
      : { _tag: "ConditionLogical", operator, operands, span: this.span(start, this.last) }
  }

  private term(): Condition {
    this.newlines()
    const start = this.pos
    if (this.takeReserved("!")) {
      this.enter()
      const operand = this.term()
      this.leave()
      return { _tag: "ConditionNot", operand, span: this.span(start, this.last) }
    }
    if (this.take("(")) {
      this.enter()
      const inner = this.condition()
      this.newlines()
      this.expect(")", "for the parenthesis in the condition")
      this.leave()
      this.last = this.pos
      this.newlines()
      return inner
    }
    const left = this.operandOf("a condition")
    const first = plainText(left) ?? ""
    if (unary.test(first)) {
      const operand = this.operandOf(`an operand of ${first}`)
      this.newlines()
      return { _tag: "ConditionUnary", operator: first, operand, span: this.span(start, this.last) }
    }
    const operator = this.binary()
    if (operator === undefined) return { _tag: "ConditionWord", word: left, span: this.span(start, this.last) }
    const right = this.operandOf(`an operand of ${operator}`, operator)
    this.newlines()
    return { _tag: "ConditionBinary", operator, left, right, span: this.span(start, this.last) }
  }

  /** Where the last operand ended. */
  private last = 0

  private operandOf(expected: string, operator = ""): Word {
    this.blanks()
    const closing = this.reserved() === "]]"
    const word = closing ? undefined : this.word(operator === "=~" ? modes.regex : modes.word, operator !== "=~")
    if (word === undefined) throw this.error(expected)
    this.last = this.pos
    return word
  }

  private binary(): ConditionOperator | undefined {
    const sign = this.operator()
    if (sign === "<" || sign === ">") {
      this.take(sign)
      return sign
    }
    if (sign !== "" || this.reserved() === "]]" || this.peek() === "") return undefined
    const before = this.pos
    const word = this.word(modes.word, false)
    const operator = word === undefined ? undefined : named.get(plainText(word) ?? "")
    if (operator === undefined) throw this.error("an operator of two operands", before)
    return operator
  }
}
