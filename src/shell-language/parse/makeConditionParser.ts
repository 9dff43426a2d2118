/** Makes the parser of the expression of `[[ … ]]`. Source: bash(1) "Compound Commands", "CONDITIONAL EXPRESSIONS". */
import { type Condition, type ConditionOperator, conditionOperators, type Word } from "../SyntaxTree.ts"
import type { RedirectionParser } from "./RedirectionParser.ts"
import type { Scanner } from "./Scanner.ts"
import * as modes from "./textModes.ts"
import { plainText, type WordParser } from "./WordParser.ts"

const unary = /^-[abcdefghknoprstuvwxzGLNORS]$/
const operatorOf = (text: string | undefined): ConditionOperator | undefined =>
  text === "=" ? "==" : conditionOperators.find((operator) => operator === text)

export const makeConditionParser = (
  scanner: Scanner,
  words: WordParser,
  redirections: RedirectionParser,
): () => Condition => {
  let last = 0

  const parseCondition = (): Condition => parseLogical("||", () => parseLogical("&&", parseTerm))

  const parseLogical = (operator: "&&" | "||", operand: () => Condition): Condition => {
    redirections.skipNewlines()
    const start = scanner.position
    const operands = [operand()]
    while (scanner.consume(operator)) operands.push(operand())
    const [only] = operands
    return only !== undefined && operands.length === 1
      ? only
      : { _tag: "ConditionLogical", operator, operands, span: scanner.span(start, last) }
  }

  const parseTerm = (): Condition => {
    redirections.skipNewlines()
    const start = scanner.position
    if (scanner.consumeReserved("!")) {
      scanner.enter()
      const operand = parseTerm()
      scanner.leave()
      return { _tag: "ConditionNot", operand, span: scanner.span(start, last) }
    }
    if (scanner.consume("(")) {
      scanner.enter()
      const inner = parseCondition()
      redirections.skipNewlines()
      scanner.expect(")", "for the parenthesis in the condition")
      scanner.leave()
      last = scanner.position
      redirections.skipNewlines()
      return inner
    }
    const left = parseOperand("a condition")
    const first = plainText(left) ?? ""
    if (unary.test(first)) {
      const operand = parseOperand(`an operand of ${first}`)
      redirections.skipNewlines()
      return { _tag: "ConditionUnary", operator: first, operand, span: scanner.span(start, last) }
    }
    const operator = parseOperator()
    if (operator === undefined) return { _tag: "ConditionWord", word: left, span: scanner.span(start, last) }
    const right = parseOperand(`an operand of ${operator}`, operator)
    redirections.skipNewlines()
    return { _tag: "ConditionBinary", operator, left, right, span: scanner.span(start, last) }
  }

  const parseOperand = (expected: string, operator = ""): Word => {
    scanner.skipBlanks()
    const closing = scanner.reservedWord() === "]]"
    const word = closing ? undefined : words.word(operator === "=~" ? modes.regex : modes.word, operator !== "=~")
    if (word === undefined) throw scanner.error(expected)
    last = scanner.position
    return word
  }

  const parseOperator = (): ConditionOperator | undefined => {
    const sign = scanner.operator()
    if (sign === "<" || sign === ">") {
      scanner.consume(sign)
      return sign
    }
    if (sign !== "" || scanner.reservedWord() === "]]" || scanner.peek() === "") return undefined
    const before = scanner.position
    const word = words.word(modes.word, false)
    const operator = word === undefined ? undefined : operatorOf(plainText(word))
    if (operator === undefined) throw scanner.error("an operator of two operands", before)
    return operator
  }
  return parseCondition
}
