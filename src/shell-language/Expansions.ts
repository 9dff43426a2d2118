/**
 * What `$` and backquotes begin: parameters, commands, arithmetic.
 *
 * @module
 */
import { arithmeticOf, type Opaque } from "./Arithmetic.ts"
import { ShellSyntaxError } from "./ShellSyntaxError.ts"
import type { ArithmeticText, Index, Parameter, ParameterOperation, Script, Subscript, Word, WordPart } from "./Tree.ts"
import { type Mode, modes, tildes, Words } from "./Words.ts"

const identifier = /[A-Za-z0-9_]/
const special = /[@*#?$!-]/
const maxGuesses = 8

/** Expansions; a script within them is read by what knows commands. */
export abstract class Expansions extends Words {
  /** A reader of a text within this one. `place` tells where its characters stand in the whole. */
  protected abstract within(text: string, place: (offset: number) => number): Expansions
  /** A whole script, to the end. */
  abstract script(): Script

  /** A name at the place, taken; empty when there is none. */
  protected name(): string {
    let name = ""
    for (this.continuations(); identifier.test(this.peek()); this.continuations()) {
      if (name === "" && /\d/.test(this.peek())) break
      name += this.peek()
      this.pos++
    }
    this.step(name.length)
    return name
  }

  protected dollar(mode: Mode): WordPart | undefined {
    const start = this.pos++
    this.continuations()
    const c = this.peek()
    if (c === "(") {
      const text = this.peek(1) === "(" ? this.arithmetic(this.pos, "$((") : undefined
      if (text !== undefined) return { _tag: "ArithmeticExpansion", text, span: this.span(start) }
      this.pos++
      const script = this.substituted(this.pos - 1)
      return { _tag: "CommandSubstitution", backquoted: false, script, span: this.span(start) }
    }
    if (c === "{") return this.braced(start, mode)
    if (c === "[") {
      this.pos++
      const text = this.arithmeticText(modes.oldArithmetic)
      if (this.peek() !== "]") throw this.unclosed("]", start)
      this.pos++
      return { _tag: "ArithmeticExpansion", text, span: this.span(start) }
    }
    const name = special.test(c) || /\d/.test(c) ? c : this.name()
    if (name === "") {
      this.pos = start
      return undefined
    }
    if (name === c && !/[A-Za-z_]/.test(c)) this.pos++
    return {
      _tag: "Parameter",
      name,
      subscript: undefined,
      indirect: false,
      operation: undefined,
      span: this.span(start),
    }
  }

  /** Arithmetic up to where the text of this kind ends. */
  protected arithmeticText(mode: Mode): ArithmeticText {
    const start = this.pos
    const opaque: Array<Opaque> = []
    const parts = this.parts(mode, opaque)
    return {
      _tag: "ArithmeticText",
      parts,
      expression: arithmeticOf(this.text, start, this.pos, opaque, (from, to) => this.span(from, to)),
      span: this.span(start),
    }
  }

  /**
   * Arithmetic between `((` at `open` and `))`. `undefined`, and the place as it was, when what begins there is a subshell
   * within parentheses: that is only known when the first `)` comes without the second.
   */
  protected arithmetic(open: number, opening: string): ArithmeticText | undefined {
    const known = this.place(open)
    const before = this.pos
    if (this.source.notArithmetic.has(known)) return undefined
    const { depth } = this.source
    let failure: ShellSyntaxError | undefined
    this.source.guesses++
    this.pos = open + 2
    this.enter()
    try {
      const text = this.arithmeticText(modes.arithmetic)
      if (this.peek() === ")" && this.peek(1) === ")") {
        this.pos += 2
        this.leave()
        this.source.guesses--
        return text
      }
      if (this.peek() === "") failure = this.unclosed("))", open)
    } catch (thrown) {
      if (!(thrown instanceof ShellSyntaxError)) throw thrown
      failure = thrown
      // An error tells its line: a look at the whole text.
      this.step(this.source.text.length)
    }
    this.source.guesses--
    this.source.depth = depth
    this.source.notArithmetic.add(known)
    if (this.source.exhausted || this.source.guesses >= maxGuesses) {
      throw failure ?? this.error(`"))" for "${opening}"`)
    }
    this.pos = before
    return undefined
  }

  /** `[…]` after a name. Stands at the bracket. */
  protected subscript(): Subscript {
    const open = this.pos++
    const mark = this.peek()
    if ((mark === "@" || mark === "*") && this.peek(1) === "]") {
      this.pos += 2
      return { _tag: "AllElements", mark, span: this.span(open) }
    }
    const start = this.pos
    const opaque: Array<Opaque> = []
    const parts = this.parts(modes.subscript, opaque)
    if (this.peek() === "") throw this.unclosed("]", open)
    const expression = arithmeticOf(this.text, start, this.pos, opaque, (from, to) => this.span(from, to))
    const word = this.wordOf(parts, start, false)
    const text: ArithmeticText = { _tag: "ArithmeticText", parts, expression, span: word.span }
    this.pos++
    return { _tag: "Index", word, text, span: this.span(open) } satisfies Index
  }

  /** `${…}`. Stands at the brace. */
  private braced(start: number, mode: Mode): WordPart {
    const open = this.pos++
    this.enter()
    const parameter = this.parameter(start, mode)
    this.continuations()
    if (this.peek() === "") throw this.unclosed("}", open)
    if (parameter === undefined || this.peek() !== "}") {
      const parts = this.parts(mode.quoted ? modes.quotedOperand : modes.operand)
      if (this.peek() === "") throw this.unclosed("}", open)
      this.pos++
      this.leave()
      const below = parameter === undefined ? [] : [parameter]
      return { _tag: "BadSubstitution", parts: [...below, ...parts], span: this.span(start) }
    }
    this.pos++
    this.leave()
    return { ...parameter, span: this.span(start) }
  }

  private parameter(start: number, mode: Mode): Parameter | undefined {
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
    const subscript = /^[A-Za-z_]/.test(name) && this.peek() === "[" ? this.subscript() : undefined
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
        const word = this.operand(mode.quoted ? modes.quotedOperand : modes.operand)
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
        const pattern = this.replaced()
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
    return this.wordOf(mode.quoted ? parts : tildes(parts, false), start, false)
  }

  /** The pattern of `${x/pattern/replacement}`: a `/` right at its start belongs to it. */
  private replaced(): Word {
    const start = this.pos
    const slash = this.peek() === "/" ? 1 : 0
    this.pos += slash
    const parts = this.parts(modes.pattern, undefined, true)
    if (slash > 0) parts.unshift({ _tag: "Literal", value: "/", span: this.span(start, start + 1) })
    return this.wordOf(parts, start, false)
  }

  protected backquoted(mode: Mode): WordPart {
    const start = this.pos
    // Backslashes are taken off before the text within is read; where each character came from is kept.
    const from: Array<number> = []
    let text = ""
    let at = start + 1
    const escapable = mode.quoted && mode !== modes.hereDocument ? '$`\\"' : "$`\\"
    for (let c = this.text[at]; c !== "`"; c = this.text[at]) {
      if (c === undefined) throw this.unclosed("`", start)
      const next = this.text[at + 1]
      if (c === "\\" && next !== undefined && escapable.includes(next)) at++
      text += this.text[at]
      from.push(this.place(at))
      at++
    }
    this.step(at - start)
    const end = this.place(at)
    this.enter()
    const script = this.within(text, (offset) => from[offset] ?? end).script()
    this.leave()
    this.pos = at + 1
    return { _tag: "CommandSubstitution", backquoted: true, script, span: this.span(start) }
  }
}

const transforms = ["U", "u", "L", "Q", "E", "P", "A", "K", "a", "k"] as const
