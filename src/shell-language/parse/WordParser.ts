/** Parses the words of a script: literals, quotes and the expansions in them. */
import type { OpaquePart } from "./parseArithmetic.ts"
import { decodeAnsi } from "./decodeAnsi.ts"
import type { Scanner } from "./Scanner.ts"
import type { TextMode } from "./textModes.ts"
import * as modes from "./textModes.ts"
import { splitTildes } from "./splitTildes.ts"
import type { Script, Word, WordPart } from "../SyntaxTree.ts"

/** Characters that bash interprets again after `$'…'` within `"${…}"` has been decoded. */
const readAgain = /[$`"\\}]/

/** Characters that a backslash quotes within double quotes. */
const escapable = '$`"\\'

/** Parses the expansions that a word may hold, each from its first character on. */
export interface ExpansionRules {
  /** Parses the expansion that `$` begins, if any. */
  readonly dollar: (mode: TextMode) => WordPart | undefined
  readonly backquoted: (mode: TextMode) => WordPart
  /** Parses statements up to and including a `)`; `opened` is the position of the opening parenthesis. */
  readonly substituted: (opened: number) => Script
}

/** Parses words. Substitutions in them are parsed by the given rules, since they hold commands. */
export class WordParser {
  private readonly scanner: Scanner
  private readonly expansions: ExpansionRules

  constructor(scanner: Scanner, expansions: ExpansionRules) {
    this.scanner = scanner
    this.expansions = expansions
  }

  /** Parses parts up to the end of a text of this kind. `opaque` collects all parts that are not plain text. */
  parts(mode: TextMode, opaque?: Array<OpaquePart>, extglob = false): Array<WordPart> {
    const { scanner } = this
    const parts: Array<WordPart> = []
    let value = ""
    let from = scanner.position
    let depth = 0
    let hidden = false
    const [open, close] = mode.pairs
    const flush = (): void => {
      if (value !== "") parts.push({ _tag: "Literal", value, span: scanner.span(from) })
      value = ""
    }
    for (;;) {
      const start = scanner.position
      if (value === "") from = start
      mode.plain.lastIndex = start
      const plain = mode.plain.exec(scanner.text)?.[0] ?? ""
      scanner.position += plain.length
      scanner.countSteps(plain.length + 1)
      value += plain
      const c = scanner.peek()
      if (c === "") break
      const next = scanner.peek(1)
      const group = extglob && c === "(" && depth === 0 && /[?*+@!]$/.test(value)
      if (c === mode.always) break
      if (depth === 0 && !hidden && mode.stop.includes(c) && !group) {
        if (!(mode.process && (c === "<" || c === ">") && next === "(")) break
      }
      if (c === "\\" && next === "\n") {
        scanner.position += 2
        continue
      }
      if (c === "\\" && next === "'" && mode.single === "literally" && !hidden) {
        scanner.position += 2
        value += "\\'"
        continue
      }
      const at = scanner.position
      const part = this.special(mode, c, next)
      if (part !== undefined) {
        const end = scanner.position
        scanner.position = at
        flush()
        scanner.position = end
        parts.push(part)
        opaque?.push({ start: at, end, part })
        continue
      }
      if (group) {
        scanner.position++
        value += c
        flush()
        for (const part of this.group()) parts.push(part)
        continue
      }
      if (c === "'" && mode.single === "literally") hidden = !hidden
      if (c === open) depth++
      else if (c === close && depth > 0) depth--
      scanner.position++
      value += c
    }
    flush()
    return parts
  }

  /** Parses the rest of `@(…)`. Its parentheses are read in pairs; other operators are plain text. */
  private group(): Array<WordPart> {
    const { scanner } = this
    const opened = scanner.position - 1
    const parts = this.parts(modes.extendedPattern)
    if (scanner.peek() === "") throw scanner.unclosed(")", opened)
    scanner.position++
    return [...parts, { _tag: "Literal", value: ")", span: scanner.span(scanner.position - 1) }]
  }

  private special(mode: TextMode, c: string, next: string): WordPart | undefined {
    const { scanner } = this
    const start = scanner.position
    switch (c) {
      case "\\": {
        if (next === "") return undefined
        const stands = mode === modes.hereDocument ? "$`\\" : escapable
        const quotes = mode.single === "literally"
          ? next === "}"
          : mode === modes.innerQuoted || mode === modes.hereInner
        if (mode.quoted && !quotes && !stands.includes(next)) return undefined
        const value = String.fromCodePoint(scanner.text.codePointAt(start + 1) ?? 0)
        scanner.position += 1 + value.length
        return { _tag: "Escaped", value, span: scanner.span(start) }
      }
      case "'":
        return mode.single === true ? this.singleQuoted(start, start + 1, false) : undefined
      case '"':
        return mode.double ? this.doubleQuoted(start, start + 1, mode) : undefined
      case "$": {
        // A continuation may stand between `$` and the quote.
        const quote = scanner.afterContinuations(start + 1)
        const after = scanner.text[quote]
        if ((!mode.quoted || mode === modes.quotedOperand) && after === "'") {
          const part = this.singleQuoted(start, quote + 1, true)
          if (mode.quoted && part._tag === "SingleQuoted" && readAgain.test(part.value)) {
            throw scanner.refusal('$\'…\' without $, `, ", \\ and } within "${…}"', start)
          }
          return part
        }
        if (mode.double && after === '"') return this.doubleQuoted(start, quote + 1, mode)
        return this.expansions.dollar(mode)
      }
      case "`":
        return this.expansions.backquoted(mode)
      case "<":
      case ">": {
        if (!mode.process || next !== "(") return undefined
        scanner.position += 2
        return {
          _tag: "ProcessSubstitution",
          direction: c,
          script: this.expansions.substituted(start + 1),
          span: scanner.span(start),
        }
      }
      default:
        return undefined
    }
  }

  private singleQuoted(start: number, from: number, ansi: boolean): WordPart {
    const { scanner } = this
    let end = scanner.text.indexOf("'", from)
    for (let escape = from; ansi && end >= 0; escape += 2) {
      escape = scanner.text.indexOf("\\", escape)
      if (escape < 0 || escape > end) break
      scanner.countSteps(0)
      if (escape + 1 === end) end = scanner.text.indexOf("'", end + 1)
    }
    scanner.countSteps((end < 0 ? scanner.text.length : end) - start)
    if (end < 0) throw scanner.unclosed("'", from - 1)
    const text = scanner.text.slice(from, end)
    scanner.position = end + 1
    return { _tag: "SingleQuoted", value: ansi ? decodeAnsi(text) : text, ansi, span: scanner.span(start) }
  }

  private doubleQuoted(start: number, from: number, outer: TextMode): WordPart {
    const { scanner } = this
    scanner.enter()
    scanner.position = from
    const inner = outer === modes.quotedOperand
      ? modes.innerQuoted
      : outer === modes.hereOperand
      ? modes.hereInner
      : modes.doubleQuoted
    const parts = this.parts(inner)
    if (scanner.peek() === "") throw scanner.unclosed('"', from - 1)
    scanner.position++
    scanner.leave()
    return { _tag: "DoubleQuoted", parts, localized: from > start + 1, span: scanner.span(start) }
  }

  /** Parses the word at the position, after blanks; `undefined` when there is none. */
  word(mode: TextMode = modes.word, extglob: boolean = this.scanner.state.extglob): Word | undefined {
    this.scanner.skipBlanks()
    const start = this.scanner.position
    const parts = this.parts(mode, undefined, extglob)
    return this.scanner.position === start ? undefined : this.wordOf(splitTildes(parts, false), start)
  }

  wordOf(parts: ReadonlyArray<WordPart>, start: number, braces = true): Word {
    const holds = (text: string): boolean => parts.some((part) => part._tag === "Literal" && part.value.includes(text))
    const found = braces && holds("{") && holds("}") && (holds(",") || holds(".."))
    return { _tag: "Word", parts, braces: found, span: this.scanner.span(start) }
  }

  /** Parses a word that must be there. */
  requireWord(expected: string): Word {
    const word = this.scanner.operator() === "" ? this.word() : undefined
    if (word === undefined) throw this.scanner.error(expected)
    return word
  }
}

export const plainText = (word: Word): string | undefined => {
  const [first] = word.parts
  return first?._tag === "Literal" && word.parts.length === 1 ? first.value : undefined
}
