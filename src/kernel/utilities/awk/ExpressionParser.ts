/** Parses the expressions of an awk program, by precedence climbing. */
import { Lexer, type Token } from "./Lexer.ts"
import type { BinaryOperator, Element, Expression, Target, Variable } from "./Syntax.ts"

/** Operators that are not allowed in a context: `>` writes to a file after `print`, `in` belongs to a loop. */
export interface Excluded {
  readonly greater?: boolean
  readonly in?: boolean
}

const comparisons: ReadonlySet<string> = new Set(["<", "<=", "==", "!=", ">", ">="])
const assignments: ReadonlySet<string> = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^=", "**="])
const binaryOperators: Readonly<Record<string, BinaryOperator>> = {
  ...{ "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "^": "^", "**": "^" },
  ...{ "<": "<", "<=": "<=", "==": "==", "!=": "!=", ">": ">", ">=": ">=" },
}

/** Functions that work on `$0` where they are not given a text. */
const withoutParentheses: ReadonlySet<string> = new Set(["length"])

/** Maximum nesting of expressions: each takes some frames of the stack. */
const maxDepth = 400

const isTarget = (expression: Expression): expression is Target =>
  expression._tag === "Variable" || expression._tag === "Element" || expression._tag === "Field"

export class ExpressionParser {
  readonly lexer: Lexer
  token: Token
  #depth = 0

  constructor(source: string) {
    this.lexer = new Lexer(source)
    this.token = this.lexer.next()
  }

  advance(): Token {
    const { token } = this
    this.token = this.lexer.next()
    return token
  }

  failHere(): never {
    const { kind, line, text } = this.token
    const found = kind === "end" ? "end of the program" : kind === "newline" ? "newline" : `'${text}'`
    return this.lexer.fail(`syntax error: unexpected ${found}`, line)
  }

  isSign(...texts: ReadonlyArray<string>): boolean {
    return this.token.kind === "sign" && texts.includes(this.token.text)
  }

  isKeyword(text: string): boolean {
    return this.token.kind === "keyword" && this.token.text === text
  }

  take(text: string): boolean {
    if (!(this.isSign(text) || this.isKeyword(text))) return false
    this.advance()
    return true
  }

  expect(text: string): void {
    if (!this.take(text)) this.failHere()
  }

  skipNewlines(): void {
    while (this.token.kind === "newline") this.advance()
  }

  expectName(): string {
    if (this.token.kind !== "name") this.failHere()
    return this.advance().text
  }

  expression(excluded: Excluded = {}): Expression {
    if (++this.#depth > maxDepth) this.lexer.fail("expressions are nested too deep")
    const left = this.#conditional(excluded)
    let result = left
    if (this.token.kind === "sign" && assignments.has(this.token.text) && isTarget(left)) {
      const operator = binaryOperators[this.advance().text.slice(0, -1)]
      this.skipNewlines()
      const value = this.expression(excluded)
      result = { _tag: "Assign", target: left, value, ...(operator === undefined ? undefined : { operator }) }
    }
    this.#depth--
    return result
  }

  list(end: string): Array<Expression> {
    const list: Array<Expression> = []
    this.skipNewlines()
    while (!this.isSign(end)) {
      list.push(this.expression())
      this.skipNewlines()
      if (!this.isSign(",")) break
      this.advance()
      this.skipNewlines()
    }
    this.expect(end)
    return list
  }

  #conditional(excluded: Excluded): Expression {
    const test = this.#logical("||", excluded)
    if (!this.take("?")) return test
    this.skipNewlines()
    const then = this.expression(excluded)
    this.skipNewlines()
    this.expect(":")
    this.skipNewlines()
    return { _tag: "Conditional", test, then, otherwise: this.expression(excluded) }
  }

  #logical(operator: "&&" | "||", excluded: Excluded): Expression {
    const next = (): Expression => operator === "||" ? this.#logical("&&", excluded) : this.#in(excluded)
    let left = next()
    while (this.take(operator)) {
      this.skipNewlines()
      left = { _tag: "Logical", operator, left, right: next() }
    }
    return left
  }

  #in(excluded: Excluded): Expression {
    let left = this.#match(excluded)
    while (excluded.in !== true && this.take("in")) {
      left = { _tag: "In", keys: left._tag === "Group" ? left.parts : [left], table: this.variable() }
    }
    return left
  }

  #match(excluded: Excluded): Expression {
    let left = this.#comparison(excluded)
    while (this.isSign("~", "!~")) {
      const isNegated = this.advance().text === "!~"
      left = { _tag: "Match", isNegated, left, right: this.#comparison(excluded) }
    }
    return left
  }

  #comparison(excluded: Excluded): Expression {
    const left = this.#piped(excluded)
    const { kind, text } = this.token
    const operator = binaryOperators[text]
    if (kind !== "sign" || !comparisons.has(text) || operator === undefined) return left
    if (text === ">" && excluded.greater === true) return left
    this.advance()
    return { _tag: "Binary", operator, left, right: this.#piped(excluded) }
  }

  #piped(excluded: Excluded): Expression {
    let left = this.concatenation()
    while (this.isSign("|") && excluded.greater !== true || this.isSign("|&")) {
      const sign = this.token
      this.advance()
      if (sign.text === "|&") this.lexer.fail("|& (a coprocess) is not supported: use a file or a pipe", sign.line)
      if (!this.take("getline")) this.failHere()
      left = { _tag: "Getline", from: "command", source: left, target: this.#optionalTarget() }
    }
    return left
  }

  /** Whether the next token may begin a part of a concatenation; a sign of `+` or `-` was taken as an operator before. */
  #beginsOperand(): boolean {
    const { kind, text } = this.token
    if (kind === "sign") return text === "$" || text === "!" || text === "(" || text === "++" || text === "--"
    return kind === "number" || kind === "text" || kind === "name" || kind === "call" || kind === "builtin"
  }

  concatenation(): Expression {
    let left = this.#additive()
    while (this.#beginsOperand()) left = { _tag: "Concat", left, right: this.#additive() }
    return left
  }

  #additive(): Expression {
    let left = this.#multiplicative()
    while (this.isSign("+", "-")) {
      const operator = this.advance().text === "+" ? "+" : "-"
      left = { _tag: "Binary", operator, left, right: this.#multiplicative() }
    }
    return left
  }

  #multiplicative(): Expression {
    let left = this.#unary()
    while (this.isSign("*", "/", "%")) {
      const operator = binaryOperators[this.advance().text] ?? "*"
      left = { _tag: "Binary", operator, left, right: this.#unary() }
    }
    return left
  }

  #unary(): Expression {
    if (!this.isSign("!", "-", "+")) return this.#power()
    const sign = this.advance().text
    if (++this.#depth > maxDepth) this.lexer.fail("expressions are nested too deep")
    const operand = this.#unary()
    this.#depth--
    return { _tag: "Unary", operator: sign === "!" ? "!" : sign === "-" ? "-" : "+", operand }
  }

  #power(): Expression {
    const left = this.#postfix()
    if (!this.isSign("^", "**")) return left
    this.advance()
    // The operator is right associative, and its right side may have a sign: 2 ^ -3.
    const right = this.isSign("-", "+", "!") ? this.#unary() : this.#power()
    return { _tag: "Binary", operator: "^", left, right }
  }

  #postfix(): Expression {
    const operand = this.#primary()
    if (!this.isSign("++", "--") || !isTarget(operand)) return operand
    return { _tag: "Increment", target: operand, by: this.advance().text === "++" ? 1 : -1, isPrefix: false }
  }

  #primary(): Expression {
    const { kind, line, text } = this.token
    switch (kind) {
      case "number":
        this.advance()
        return { _tag: "Number", value: Number(text) }
      case "text":
        this.advance()
        return { _tag: "Text", text }
      case "name":
        return this.variable()
      case "call": {
        this.advance()
        this.advance()
        return { _tag: "Call", name: text, args: this.list(")"), line }
      }
      case "builtin": {
        this.advance()
        if (this.take("(")) return { _tag: "Builtin", name: text, args: this.list(")"), line }
        return withoutParentheses.has(text) ? { _tag: "Builtin", name: text, args: [], line } : this.failHere()
      }
      case "keyword":
        return this.take("getline") ? this.#getline() : this.failHere()
      case "sign":
        return this.#signed()
      default:
        return this.failHere()
    }
  }

  #signed(): Expression {
    const { at, text } = this.token
    switch (text) {
      case "/":
      case "/=": {
        const source = this.lexer.regex(at)
        this.advance()
        return { _tag: "Regex", source }
      }
      case "$": {
        this.advance()
        if (++this.#depth > maxDepth) this.lexer.fail("expressions are nested too deep")
        const index = this.isSign("-", "+", "!") ? this.#unary() : this.#primary()
        this.#depth--
        return { _tag: "Field", index }
      }
      case "++":
      case "--": {
        this.advance()
        const target = this.#primary()
        if (!isTarget(target)) return this.failHere()
        return { _tag: "Increment", target, by: text === "++" ? 1 : -1, isPrefix: true }
      }
      case "(": {
        this.advance()
        const parts = this.list(")")
        const [only] = parts
        if (only === undefined) return this.failHere()
        return parts.length === 1 ? only : { _tag: "Group", parts }
      }
      default:
        return this.failHere()
    }
  }

  variable(): Variable | Element {
    let place: Variable | Element = { _tag: "Variable", name: this.expectName() }
    while (this.take("[")) place = { _tag: "Element", table: place, keys: this.list("]") }
    return place
  }

  #optionalTarget(): Target | undefined {
    if (this.token.kind === "name") return this.variable()
    if (!this.isSign("$")) return undefined
    const target = this.#primary()
    return isTarget(target) ? target : this.failHere()
  }

  #getline(): Expression {
    const target = this.#optionalTarget()
    if (!this.take("<")) return { _tag: "Getline", from: "main", target }
    return { _tag: "Getline", from: "file", source: this.#primary(), target }
  }
}
