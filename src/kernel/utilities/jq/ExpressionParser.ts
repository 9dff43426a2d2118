/** Parses the expressions of a jq program, by precedence climbing. Source: jq(1), the grammar of jq 1.7.1. */
import { JqObject, NumberLiteral, type Value } from "./values.ts"
import type { Token } from "./tokenize.ts"
import {
  type BinaryOperator,
  type Definition,
  type Pattern,
  type PatternField,
  type Syntax,
  SyntaxFailure,
} from "./Syntax.ts"
import { keywords, TokenReader } from "./TokenReader.ts"
import { constantOf } from "./constantOf.ts"
import { shorten } from "./formatJson.ts"
import { parseNumber } from "./numbers.ts"
import { orderOf, typeName } from "./kinds.ts"

const identity: Syntax = { _tag: "Identity" }

/** Precedence of the operators, and how they group. */
const operators: Readonly<Record<string, readonly [level: number, group: "left" | "right" | "none"]>> = {
  "|": [1, "right"],
  ",": [2, "left"],
  "//": [3, "right"],
  ...Object.fromEntries(["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="].map((name) => [name, [4, "none"] as const])),
  or: [5, "left"],
  and: [6, "left"],
  ...Object.fromEntries(["==", "!=", "<", "<=", ">", ">="].map((name) => [name, [7, "none"] as const])),
  "+": [8, "left"],
  "-": [8, "left"],
  "*": [9, "left"],
  "/": [9, "left"],
  "%": [9, "left"],
}

const isBinary = (text: string): text is BinaryOperator => /^(?:[-+*/%<>]|[=!<>]=)$/.test(text)

/** Expressions within each other. */
const maxDepth = 1_000

const literal = (value: Value): Syntax => ({ _tag: "Literal", value })

export abstract class ExpressionParser extends TokenReader {
  protected definition(): Definition {
    this.expect("def")
    const name = this.take("Name") ?? this.fail()
    const params: Array<string> = []
    if (this.accept("(")) {
      do {
        const variable = this.take("Variable")
        params.push(variable === undefined ? this.take("Name") ?? this.fail() : `$${variable}`)
      } while (this.accept(";"))
      this.expect(")")
    }
    this.expect(":")
    const body = this.pipe()
    this.expect(";")
    return { name, params, body }
  }

  protected pipe(): Syntax {
    return this.#operation(1)
  }

  /** Operators of a level and above. */
  #operation(level: number): Syntax {
    if (++this.depth > maxDepth) this.fail("the program is nested too deep")
    let left = this.#operand()
    for (let limit = Infinity;;) {
      const token = this.tokens[this.at]
      if (token === undefined || token._tag !== "Operator" && token._tag !== "Name") break
      const operator = Object.hasOwn(operators, token.text) ? operators[token.text] : undefined
      if (operator === undefined || operator[0] < level) break
      const [own, group] = operator
      if (own >= limit) this.fail()
      this.at++
      const right = this.#operation(group === "right" ? own : own + 1)
      left = this.#combine(token.text, left, right)
      limit = group === "none" ? own : Infinity
      if (group === "none") level = Math.min(level, own)
    }
    this.depth--
    return left
  }

  #combine(operator: string, left: Syntax, right: Syntax): Syntax {
    if (isBinary(operator)) return { _tag: "Binary", operator, left, right }
    switch (operator) {
      case "|":
        return { _tag: "Pipe", left, right }
      case ",":
        return { _tag: "Comma", left, right }
      case "//":
        return { _tag: "Alternative", left, right }
      case "or":
        return { _tag: "Or", left, right }
      case "and":
        return { _tag: "And", left, right }
      default:
        return { _tag: "Assign", operator, left, right }
    }
  }

  /** A term with its postfix operators, or an expression that extends as far as possible. */
  #operand(): Syntax {
    if (this.accept("-")) return { _tag: "Negate", of: this.#operation(9) }
    if (this.sees("def")) {
      const definition = this.definition()
      return { _tag: "Define", definition, body: this.pipe() }
    }
    if (this.accept("label")) {
      const name = this.take("Variable") ?? this.fail()
      this.expect("|")
      return { _tag: "Label", name, body: this.pipe() }
    }
    const term = this.#postfix()
    if (!this.accept("as")) return term
    const patterns = this.#patterns()
    this.expect("|")
    return { _tag: "As", source: term, patterns, body: this.pipe() }
  }

  #postfix(): Syntax {
    let term = this.#term()
    for (;;) {
      const field = this.take("Field")
      if (field !== undefined) {
        term = { _tag: "Index", of: term, key: literal(field), optional: this.accept("?") }
      } else if (this.sees("[")) term = this.#bracket(term)
      else if (this.sees(".") && this.tokens[this.at + 1]?._tag === "String") {
        this.at++
        const key = this.string("text") ?? this.fail()
        term = { _tag: "Index", of: term, key, optional: this.accept("?") }
      } else if (this.sees(".") && this.tokens[this.at + 1]?.text === "[") {
        this.at++
        term = this.#bracket(term)
      } else if (this.accept("?")) term = { _tag: "Try", body: term, handler: undefined }
      else return term
    }
  }

  #bracket(of: Syntax): Syntax {
    this.expect("[")
    if (this.accept("]")) return { _tag: "Each", of, optional: this.accept("?") }
    const from = this.sees(":") ? undefined : this.pipe()
    if (!this.accept(":")) {
      this.expect("]")
      return { _tag: "Index", of, key: from ?? identity, optional: this.accept("?") }
    }
    const to = this.sees("]") && from !== undefined ? undefined : this.pipe()
    this.expect("]")
    return { _tag: "Slice", of, from, to, optional: this.accept("?") }
  }

  /** A string, whose interpolations have a format. */
  protected string(format: string): Syntax | undefined {
    const token = this.tokens[this.at]
    if (token?._tag !== "String") return undefined
    this.at++
    const parts = token.parts.map((part) => typeof part === "string" ? part : this.#within(part, token.line))
    return { _tag: "Text", format, parts }
  }

  /** Parses the tokens of an interpolation. */
  #within(tokens: ReadonlyArray<Token>, line: number): Syntax {
    const [outer, at] = [this.tokens, this.at]
    this.tokens = tokens
    this.at = 0
    if (tokens.length === 0) {
      throw new SyntaxFailure("syntax error, unexpected QQSTRING_INTERP_END (Unix shell quoting issues?)", line)
    }
    const syntax = this.pipe()
    if (this.at < tokens.length) this.fail()
    this.tokens = outer
    this.at = at
    return syntax
  }

  #term(): Syntax {
    const token = this.tokens[this.at]
    if (token === undefined) return this.fail()
    switch (token._tag) {
      case "String":
        return this.string("text") ?? this.fail()
      case "Number": {
        this.at++
        const [value, text] = parseNumber(token.text) ?? [NaN, undefined]
        return literal(text === undefined ? value : new NumberLiteral(value, text))
      }
      case "Format":
        this.at++
        return this.string(token.text) ?? { _tag: "Format", name: token.text }
      case "Field":
        this.at++
        return { _tag: "Index", of: identity, key: literal(token.text), optional: this.accept("?") }
      case "Variable":
        this.at++
        return token.text === "__loc__"
          ? this.#location(token.line)
          : { _tag: "Variable", name: token.text, line: token.line }
      case "Name":
        return this.#named(token.text, token.line)
      default:
        return this.#operatorTerm(token.text)
    }
  }

  #location(line: number): Syntax {
    return literal(new JqObject(new Map<string, Value>([["file", this.file], ["line", line]])))
  }

  #operatorTerm(text: string): Syntax {
    this.at++
    switch (text) {
      case ".": {
        if (this.sees("[")) return identity
        const key = this.string("text")
        if (key !== undefined) return { _tag: "Index", of: identity, key, optional: this.accept("?") }
        return identity
      }
      case "..":
        return { _tag: "Call", name: "recurse", args: [], line: this.line }
      case "(": {
        const body = this.pipe()
        this.expect(")")
        return body
      }
      case "[": {
        if (this.accept("]")) return { _tag: "Array", body: undefined }
        const body = this.pipe()
        this.expect("]")
        return { _tag: "Array", body }
      }
      case "{":
        return this.#object()
      default:
        this.at--
        return this.fail()
    }
  }

  #named(name: string, line: number): Syntax {
    this.at++
    switch (name) {
      case "if":
        return this.#condition()
      case "try": {
        const body = this.#tryOperand()
        return { _tag: "Try", body, handler: this.accept("catch") ? this.#tryOperand() : undefined }
      }
      case "reduce":
      case "foreach":
        return this.#fold(name)
      case "break":
        return { _tag: "Break", name: this.take("Variable") ?? this.fail("break requires a label to break to"), line }
      case "true":
      case "false":
        return literal(name === "true")
      case "null":
        return literal(null)
    }
    if (keywords.has(name)) {
      this.at--
      return this.fail()
    }
    const args: Array<Syntax> = []
    if (this.accept("(")) {
      do args.push(this.pipe())
      while (this.accept(";"))
      this.expect(")")
    }
    return { _tag: "Call", name, args, line }
  }

  /** The operand of `try` and `catch`: a term, or its negation. */
  #tryOperand(): Syntax {
    return this.accept("-") ? { _tag: "Negate", of: this.#postfix() } : this.#postfix()
  }

  #condition(): Syntax {
    const condition = this.pipe()
    this.expect("then")
    const then = this.pipe()
    if (this.accept("elif")) return { _tag: "If", condition, then, otherwise: this.#condition() }
    const otherwise = this.accept("else") ? this.pipe() : identity
    this.expect("end")
    return { _tag: "If", condition, then, otherwise }
  }

  #fold(kind: "reduce" | "foreach"): Syntax {
    const source = this.#postfix()
    this.expect("as")
    const patterns = this.#patterns()
    this.expect("(")
    const init = this.pipe()
    this.expect(";")
    const update = this.pipe()
    const extract = kind === "foreach" && this.accept(";") ? this.pipe() : undefined
    this.expect(")")
    return kind === "reduce"
      ? { _tag: "Reduce", source, patterns, init, update }
      : { _tag: "Foreach", source, patterns, init, update, extract }
  }

  #patterns(): ReadonlyArray<Pattern> {
    const patterns = [this.#pattern()]
    while (this.accept("?//")) patterns.push(this.#pattern())
    return patterns
  }

  #pattern(): Pattern {
    if (++this.depth > maxDepth) this.fail("the program is nested too deep")
    const name = this.take("Variable")
    let pattern: Pattern
    if (name !== undefined) pattern = { _tag: "Variable", name }
    else if (this.accept("[")) {
      const items: Array<Pattern> = []
      do items.push(this.#pattern())
      while (this.accept(","))
      this.expect("]")
      pattern = { _tag: "Array", items }
    } else {
      this.expect("{")
      const fields: Array<PatternField> = []
      do fields.push(this.#patternField())
      while (this.accept(","))
      this.expect("}")
      pattern = { _tag: "Object", fields }
    }
    this.depth--
    return pattern
  }

  #patternField(): PatternField {
    const variable = this.take("Variable")
    if (variable !== undefined) {
      return { key: literal(variable), variable, pattern: this.accept(":") ? this.#pattern() : undefined }
    }
    const name = this.take("Name")
    const key = name === undefined ? this.string("text") ?? this.#keyExpression() : literal(name)
    this.expect(":")
    return { key, variable: undefined, pattern: this.#pattern() }
  }

  /** A key in parentheses. */
  #keyExpression(): Syntax {
    this.expect("(")
    const key = this.pipe()
    this.expect(")")
    const value = constantOf(key)
    if (value !== undefined && orderOf(value) !== 4) {
      this.fail(`Cannot use ${typeName(value)} (${shorten(value)}) as object key`)
    }
    return key
  }

  #object(): Syntax {
    const fields: Array<readonly [Syntax, Syntax]> = []
    while (!this.accept("}")) {
      fields.push(this.#field())
      if (this.accept("}")) break
      this.expect(",")
    }
    return { _tag: "Object", fields }
  }

  #field(): readonly [Syntax, Syntax] {
    const { line } = this.tokens[this.at] ?? { line: 1 }
    const variable = this.take("Variable")
    if (variable !== undefined) {
      const value: Syntax = variable === "__loc__" ? this.#location(line) : { _tag: "Variable", name: variable, line }
      if (!this.accept(":")) return [literal(variable), value]
      return [value, this.#fieldValue()]
    }
    const name = this.take("Name")
    const format = this.take("Format")
    const number = this.take("Number")
    const key = name !== undefined
      ? literal(name)
      : number !== undefined
      ? this.fail(`May need parentheses around object key expression`)
      : this.string(format ?? "text")
    if (key !== undefined) {
      if (this.accept(":")) return [key, this.#fieldValue()]
      return [key, { _tag: "Index", of: identity, key, optional: false }]
    }
    const expression = this.#keyExpression()
    this.expect(":")
    return [expression, this.#fieldValue()]
  }

  /** A value has no comma outside of parentheses. */
  #fieldValue(): Syntax {
    const value = this.#operation(3)
    return this.accept("|") ? { _tag: "Pipe", left: value, right: this.#fieldValue() } : value
  }
}
