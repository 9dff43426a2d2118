/** Makes the parser of `${…}`, which reads every form of it. Source: POSIX.1-2024 XCU 2.6.2; bash(1) "Parameter Expansion". */
import type { ArithmeticTextParser } from "./ArithmeticTextParser.ts"
import type { Scanner } from "./Scanner.ts"
import { splitTildes } from "./splitTildes.ts"
import { type Parameter, type ParameterOperation, transformOperators, type Word, type WordPart } from "../SyntaxTree.ts"
import { operandIn, type TextMode } from "./textModes.ts"
import * as modes from "./textModes.ts"
import type { WordParser } from "./WordParser.ts"

const identifier = /[A-Za-z0-9_]/
const special = /[@*#?$!-]/
const digits = /[0-9]+/y

/** Makes a parser of parameter expansions, from the brace on; `start` is the position of the dollar sign. */
export const makeParameterParser = (
  scanner: Scanner,
  words: WordParser,
  arithmetic: ArithmeticTextParser,
): (start: number, mode: TextMode) => WordPart => {
  const parseBraced = (start: number, mode: TextMode): WordPart => {
    const open = scanner.position++
    scanner.enter()
    const parameter = parseParameter(start, mode)
    scanner.skipContinuations()
    if (scanner.peek() === "") throw scanner.unclosed("}", open)
    if (parameter === undefined || Array.isArray(parameter) || scanner.peek() !== "}") {
      const parts = words.parts(operandIn(mode))
      if (scanner.peek() === "") throw scanner.unclosed("}", open)
      scanner.position++
      scanner.leave()
      const below = Array.isArray(parameter) ? parameter : parameter === undefined ? [] : [parameter]
      return { _tag: "BadSubstitution", parts: [...below, ...parts], span: scanner.span(start) }
    }
    scanner.position++
    scanner.leave()
    return { ...parameter, span: scanner.span(start) }
  }

  /** Returns `undefined`, or the parts of an unclosed subscript, for text that has none of the forms. */
  const parseParameter = (start: number, mode: TextMode): Parameter | Array<WordPart> | undefined => {
    const from = scanner.position
    scanner.skipContinuations()
    let prefix = scanner.peek()
    const begun = scanner.position
    if (prefix === "#" || prefix === "!") {
      scanner.position++
      // This is the parameter `#` or `!` itself unless a name follows, or a special parameter alone.
      const next = scanner.peek()
      const alone = special.test(next) && (scanner.peek(1) !== "}" || (prefix === "!" && next === "-"))
      if (!identifier.test(next) && (alone || !special.test(next))) {
        prefix = ""
        scanner.position = begun
      }
    } else prefix = ""
    const name = parseName()
    if (name === "") {
      scanner.position = from
      return undefined
    }
    const indexed = /^[A-Za-z_]/.test(name) && scanner.peek() === "["
    const subscript = indexed ? arithmetic.subscriptOf(modes.bracedSubscript) : undefined
    if (Array.isArray(subscript)) return subscript
    const at = scanner.position
    const mark = scanner.peek()
    let operation: ParameterOperation | undefined
    if (prefix === "#") operation = { _tag: "ParameterLength", span: scanner.span(begun, begun + 1) }
    else if (prefix === "!" && subscript?._tag === "AllElements" && mark === "}") {
      operation = { _tag: "ParameterKeys", mark: subscript.mark, span: subscript.span }
    } else if (
      prefix === "!" && subscript === undefined && (mark === "*" || mark === "@") && scanner.peek(1) === "}" &&
      /^[A-Za-z_]/.test(name)
    ) {
      scanner.position++
      operation = { _tag: "ParameterNames", mark, span: scanner.span(at) }
    } else operation = parseOperation(mode)
    const indirect = prefix === "!" && operation?._tag !== "ParameterKeys" && operation?._tag !== "ParameterNames"
    return { _tag: "Parameter", name, subscript, indirect, operation, span: scanner.span(start) }
  }

  const parseName = (): string => {
    const c = scanner.peek()
    if (special.test(c)) {
      scanner.position++
      scanner.skipContinuations()
      return c
    }
    return scanner.consumeRun(digits) || scanner.consumeName()
  }

  /** Parses the operation after a name. The position is then at the closing brace if the operation is well formed. */
  const parseOperation = (mode: TextMode): ParameterOperation | undefined => {
    const start = scanner.position
    const c = scanner.peek()
    const again = (next: string): boolean => {
      scanner.skipContinuations()
      if (scanner.peek() !== next) return false
      scanner.position++
      return true
    }
    if (c === "" || c === "}") return undefined
    scanner.position++
    const colon = c === ":"
    scanner.skipContinuations()
    const operator = colon ? scanner.peek() : c
    switch (operator) {
      case "-":
      case "=":
      case "?":
      case "+": {
        if (colon) scanner.position++
        const word = parseOperand(operandIn(mode))
        return { _tag: "ParameterFallback", operator, colon, word, span: scanner.span(start) }
      }
      case "#":
      case "%": {
        if (colon) break
        const longest = again(operator)
        const pattern = parseOperand(modes.operand)
        const side = operator === "#" ? "prefix" : "suffix"
        return { _tag: "ParameterTrim", side, longest, pattern, span: scanner.span(start) }
      }
      case "/": {
        if (colon) break
        const which = again("/") ? "all" : again("#") ? "prefix" : again("%") ? "suffix" : "first"
        const pattern = parseReplaced(which === "first" || which === "all")
        const replacement = again("/") ? parseOperand(modes.operand) : undefined
        return { _tag: "ParameterReplace", which, pattern, replacement, span: scanner.span(start) }
      }
      case "^":
      case ",":
      case "~": {
        if (colon) break
        const all = again(operator)
        const pattern = scanner.peek() === "}" ? undefined : parseOperand(modes.operand)
        const to = operator === "^" ? "upper" : operator === "," ? "lower" : "toggle"
        return { _tag: "ParameterCase", to, all, pattern, span: scanner.span(start) }
      }
      case "@": {
        const operator = transformOperators.find((name) => name === scanner.peek())
        if (colon || operator === undefined) break
        scanner.position++
        return { _tag: "ParameterTransform", operator, span: scanner.span(start) }
      }
    }
    if (!colon) {
      scanner.position = start
      return undefined
    }
    const offset = arithmetic.arithmeticText(modes.slice)
    const length = again(":") ? arithmetic.arithmeticText(modes.slice) : undefined
    return { _tag: "ParameterSlice", offset, length, span: scanner.span(start) }
  }

  const parseOperand = (mode: TextMode): Word => {
    const start = scanner.position
    const parts = words.parts(mode, undefined, mode === modes.operand)
    return words.wordOf(mode.quoted ? parts : splitTildes(parts, false), start, false)
  }

  /** Parses the pattern of `${x/pattern/replacement}`. A `/` at its start belongs to it, unless an anchor precedes it. */
  const parseReplaced = (takesSlash: boolean): Word => {
    const start = scanner.position
    const slash = takesSlash && scanner.peek() === "/" ? 1 : 0
    scanner.position += slash
    const parts = words.parts(modes.pattern, undefined, true)
    if (slash > 0) parts.unshift({ _tag: "Literal", value: "/", span: scanner.span(start, start + 1) })
    return words.wordOf(parts, start, false)
  }
  return parseBraced
}
