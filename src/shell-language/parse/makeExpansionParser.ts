/** Makes the parser of expansions, which `$` and backquotes begin. */
import type { ArithmeticTextParser } from "./ArithmeticTextParser.ts"
import type { Scanner } from "./Scanner.ts"
import type { Script, WordPart } from "../SyntaxTree.ts"
import type { TextMode } from "./textModes.ts"
import * as modes from "./textModes.ts"
import type { ExpansionRules } from "./WordParser.ts"

const special = /[@*#?$!-]/
const notBackquote = /[^`\\]*/y

const countBelow = (numbers: ReadonlyArray<number>, limit: number): number => {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}

export interface ScriptRules {
  /** Parses statements up to and including a `)`; `opened` is the position of the opening parenthesis. */
  readonly substituted: (opened: number) => Script
  /** Parses a text as a script; `place` maps its offsets to those of the whole script. */
  readonly script: (text: string, place: (offset: number) => number) => Script
}

/** Makes a parser of expansions. Scripts within them are parsed by the given rules. */
export const makeExpansionParser = (
  scanner: Scanner,
  arithmetic: ArithmeticTextParser,
  parseBraced: (start: number, mode: TextMode) => WordPart,
  rules: ScriptRules,
): Pick<ExpansionRules, "dollar" | "backquoted"> => {
  const dollar = (mode: TextMode): WordPart | undefined => {
    const start = scanner.position++
    scanner.skipContinuations()
    const c = scanner.peek()
    if (c === "(") {
      const text = arithmetic.arithmetic(scanner.position, "$((")
      if (text !== undefined) return { _tag: "ArithmeticExpansion", text, span: scanner.span(start) }
      scanner.position++
      const script = rules.substituted(scanner.position - 1)
      return { _tag: "CommandSubstitution", backquoted: false, script, span: scanner.span(start) }
    }
    if (c === "{") return parseBraced(start, mode)
    if (c === "[") {
      scanner.position++
      const text = arithmetic.arithmeticText(modes.oldArithmetic)
      if (scanner.peek() !== "]") throw scanner.unclosed("]", start)
      scanner.position++
      return { _tag: "ArithmeticExpansion", text, span: scanner.span(start) }
    }
    const name = special.test(c) || /\d/.test(c) ? c : scanner.consumeName()
    if (name === "") {
      scanner.position = start
      return undefined
    }
    if (name === c && !/[A-Za-z_]/.test(c)) scanner.position++
    return {
      _tag: "Parameter",
      name,
      subscript: undefined,
      indirect: false,
      operation: undefined,
      span: scanner.span(start),
    }
  }

  const backquoted = (mode: TextMode): WordPart => {
    const start = scanner.position
    // Backslashes are removed before the text is parsed; `escaped` has the offsets of the characters after them.
    const escaped: Array<number> = []
    let text = ""
    let at = start + 1
    const escapable = mode.quoted && mode !== modes.hereDocument ? '$`\\"' : "$`\\"
    for (;;) {
      notBackquote.lastIndex = at
      const run = notBackquote.exec(scanner.text)?.[0] ?? ""
      scanner.countSteps(run.length)
      text += run
      at += run.length
      const c = scanner.text[at]
      if (c === undefined) throw scanner.unclosed("`", start)
      if (c === "`") break
      const next = scanner.text[at + 1]
      if (next !== undefined && escapable.includes(next)) {
        escaped.push(text.length)
        at++
      }
      text += scanner.text[at++]
    }
    const { toScriptOffset } = scanner
    scanner.enter()
    const script = rules.script(
      text,
      (offset) => toScriptOffset(Math.min(at, start + 1 + offset + countBelow(escaped, offset))),
    )
    scanner.leave()
    scanner.position = at + 1
    return { _tag: "CommandSubstitution", backquoted: true, script, span: scanner.span(start) }
  }
  return { dollar, backquoted }
}
