/**
 * Every form of `${…}`.
 *
 * Source: POSIX.1-2024 XCU 2.6.2; bash(1) "Parameter Expansion".
 *
 * @module
 */
import { Texts } from "./ArithmeticTextParser.ts"
import { splitTildes } from "./splitTildes.ts"
import type { Parameter, ParameterOperation, Word, WordPart } from "../SyntaxTree.ts"
import { type Mode, modes, operandIn } from "./WordParser.ts"

const identifier = /[A-Za-z0-9_]/
const special = /[@*#?$!-]/
const transforms = ["U", "u", "L", "Q", "E", "P", "A", "K", "a", "k"] as const

/** Parameters. */
export abstract class Parameters extends Texts {
  /** `${…}`. Stands at the brace. */
  protected braced(start: number, mode: Mode): WordPart {
    const open = this.pos++
    this.enter()
    const parameter = this.parameter(start, mode)
    this.continuations()
    if (this.peek() === "") throw this.unclosed("}", open)
    if (parameter === undefined || Array.isArray(parameter) || this.peek() !== "}") {
      const parts = this.parts(operandIn(mode))
      if (this.peek() === "") throw this.unclosed("}", open)
      this.pos++
      this.leave()
      const below = Array.isArray(parameter) ? parameter : parameter === undefined ? [] : [parameter]
      return { _tag: "BadSubstitution", parts: [...below, ...parts], span: this.span(start) }
    }
    this.pos++
    this.leave()
    return { ...parameter, span: this.span(start) }
  }

  /** `undefined`, or the parts of a subscript that is not closed, when it is none of the forms. */
  private parameter(start: number, mode: Mode): Parameter | Array<WordPart> | undefined {
    const from = this.pos
    this.continuations()
    let prefix = this.peek()
    const begun = this.pos
    if (prefix === "#" || prefix === "!") {
      this.pos++
      // It is the parameter `#` or `!` itself unless a name follows, or a special one and nothing but that.
      const next = this.peek()
      const alone = special.test(next) && (this.peek(1) !== "}" || (prefix === "!" && next === "-"))
      if (!identifier.test(next) && (alone || !special.test(next))) {
        prefix = ""
        this.pos = begun
      }
    } else prefix = ""
    const name = this.parameterName()
    if (name === "") {
      this.pos = from
      return undefined
    }
    const indexed = /^[A-Za-z_]/.test(name) && this.peek() === "["
    const subscript = indexed ? this.subscriptOf(modes.bracedSubscript) : undefined
    if (Array.isArray(subscript)) return subscript
    const at = this.pos
    const mark = this.peek()
    let operation: ParameterOperation | undefined
    if (prefix === "#") operation = { _tag: "ParameterLength", span: this.span(begun, begun + 1) }
    else if (prefix === "!" && subscript?._tag === "AllElements" && mark === "}") {
      operation = { _tag: "ParameterKeys", mark: subscript.mark, span: subscript.span }
    } else if (
      prefix === "!" && subscript === undefined && (mark === "*" || mark === "@") && this.peek(1) === "}" &&
      /^[A-Za-z_]/.test(name)
    ) {
      this.pos++
      operation = { _tag: "ParameterNames", mark, span: this.span(at) }
    } else operation = this.operation(mode)
    const indirect = prefix === "!" && operation?._tag !== "ParameterKeys" && operation?._tag !== "ParameterNames"
    return { _tag: "Parameter", name, subscript, indirect, operation, span: this.span(start) }
  }

  private parameterName(): string {
    const c = this.peek()
    if (special.test(c)) {
      this.pos++
      this.continuations()
      return c
    }
    let digits = ""
    for (this.continuations(); /\d/.test(this.peek()); this.continuations()) {
      digits += this.peek()
      this.pos++
    }
    this.step(digits.length)
    return digits || this.name()
  }

  /** What follows a parameter's name. Stands at the closing brace afterwards, if it is well formed. */
  private operation(mode: Mode): ParameterOperation | undefined {
    const start = this.pos
    const c = this.peek()
    const again = (next: string): boolean => {
      this.continuations()
      if (this.peek() !== next) return false
      this.pos++
      return true
    }
    if (c === "" || c === "}") return undefined
    this.pos++
    const colon = c === ":"
    this.continuations()
    const operator = colon ? this.peek() : c
    switch (operator) {
      case "-":
      case "=":
      case "?":
      case "+": {
        if (colon) this.pos++
        const word = this.operand(operandIn(mode))
        return { _tag: "ParameterFallback", operator, colon, word, span: this.span(start) }
      }
      case "#":
      case "%": {
        if (colon) break
        const longest = again(operator)
        const pattern = this.operand(modes.operand)
        const side = operator === "#" ? "prefix" : "suffix"
        return { _tag: "ParameterTrim", side, longest, pattern, span: this.span(start) }
      }
      case "/": {
        if (colon) break
        const which = again("/") ? "all" : again("#") ? "prefix" : again("%") ? "suffix" : "first"
        const pattern = this.replaced(which === "first" || which === "all")
        const replacement = again("/") ? this.operand(modes.operand) : undefined
        return { _tag: "ParameterReplace", which, pattern, replacement, span: this.span(start) }
      }
      case "^":
      case ",":
      case "~": {
        if (colon) break
        const all = again(operator)
        const pattern = this.peek() === "}" ? undefined : this.operand(modes.operand)
        const to = operator === "^" ? "upper" : operator === "," ? "lower" : "toggle"
        return { _tag: "ParameterCase", to, all, pattern, span: this.span(start) }
      }
      case "@": {
        const operator = transforms.find((name) => name === this.peek())
        if (colon || operator === undefined) break
        this.pos++
        return { _tag: "ParameterTransform", operator, span: this.span(start) }
      }
    }
    if (!colon) {
      this.pos = start
      return undefined
    }
    const offset = this.arithmeticText(modes.slice)
    const length = again(":") ? this.arithmeticText(modes.slice) : undefined
    return { _tag: "ParameterSlice", offset, length, span: this.span(start) }
  }

  private operand(mode: Mode): Word {
    const start = this.pos
    const parts = this.parts(mode, undefined, mode === modes.operand)
    return this.wordOf(mode.quoted ? parts : splitTildes(parts, false), start, false)
  }

  /** The pattern of `${x/pattern/replacement}`: without an anchor before it, a `/` right at its start belongs to it. */
  private replaced(takesSlash: boolean): Word {
    const start = this.pos
    const slash = takesSlash && this.peek() === "/" ? 1 : 0
    this.pos += slash
    const parts = this.parts(modes.pattern, undefined, true)
    if (slash > 0) parts.unshift({ _tag: "Literal", value: "/", span: this.span(start, start + 1) })
    return this.wordOf(parts, start, false)
  }
}
