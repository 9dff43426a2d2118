/**
 * Words: their parts, and where each kind of word ends.
 *
 * @module
 */
import type { Opaque } from "./parseArithmetic.ts"
import { decodeAnsi } from "./decodeAnsi.ts"
import { Reader } from "./Scanner.ts"
import { splitTildes } from "./splitTildes.ts"
import type { Script, Word, WordPart } from "../SyntaxTree.ts"

/** What is special in a kind of text. */
export interface Mode {
  /** Characters that end it, outside pairs. */
  readonly stop: string
  /** A character that ends it within pairs too. */
  readonly always: string
  /** Two characters that come in pairs within it. */
  readonly pairs: string
  /** As within double quotes: a backslash quotes only some characters, and is one otherwise. */
  readonly quoted: boolean
  /** `'` quotes; `"literally"`: it only hides what would end the text, as bash has it within `"${x:-…}"`. */
  readonly single: boolean | "literally"
  readonly double: boolean
  /** `<(…)` is a substitution. */
  readonly process: boolean
  /** Everything that is not plain text. */
  readonly special: RegExp
}

const mode = (
  stop: string,
  pairs: string,
  quoted: boolean,
  single: Mode["single"],
  double: boolean,
  always = "",
): Mode => {
  const process = !quoted && !stop.includes("]")
  const special = `\\$\`${stop}${pairs}${single ? "'" : ""}${double ? '"' : ""}${process ? "<>" : ""}`
  const plain = new RegExp(`[^${special.replace(/[\]\\[]/g, "\\$&")}]+`, "y")
  return { stop, always, pairs, quoted, single, double, process, special: plain }
}

type ModeName =
  | "word"
  | "regex"
  | "doubleQuoted"
  | "hereDocument"
  | "arithmetic"
  | "arithmeticClause"
  | "oldArithmetic"
  | "slice"
  | "subscript"
  | "bracedSubscript"
  | "operand"
  | "pattern"
  | "quotedOperand"
  | "innerQuoted"
  | "hereOperand"
  | "hereInner"

/** The kinds of text. */
export const modes: Readonly<Record<ModeName, Mode>> = {
  word: mode(" \t\n;&|()<>", "", false, true, true),
  /** The right side of `=~`: what stands between parentheses may hold blanks and operators. */
  regex: mode(" \t\n;&<>)", "()", false, true, true),
  doubleQuoted: mode('"', "", true, false, false),
  hereDocument: mode("", "", true, false, false),
  arithmetic: mode(")", "()", true, true, true),
  /** Of `for ((…;…;…))`. */
  arithmeticClause: mode(";)", "()", true, true, true),
  oldArithmetic: mode("]", "[]", true, true, true),
  /** The `:` of `? :` belongs to it. */
  slice: mode(":}", "?:", true, true, true, "}"),
  subscript: mode("]", "[]", false, true, true),
  /** Of a parameter within braces, which end it. */
  bracedSubscript: mode("]}", "[]", false, true, true, "}"),
  /** A word, pattern or replacement within `${…}`. */
  operand: mode("}", "", false, true, true),
  pattern: mode("/}", "", false, true, true),
  /** A word within `"${…}"`. */
  quotedOperand: mode("}", "", true, "literally", true),
  /** Double quotes within that: a backslash quotes everything. */
  innerQuoted: mode('"', "", true, false, false),
  /** The same within a here-document, where `$'` begins nothing. */
  hereOperand: mode("}", "", true, "literally", true),
  hereInner: mode('"', "", true, false, false),
}

/** The kind of the word of `${x:-word}` that stands within a text of this kind. */
export const operandIn = (outer: Mode): Mode =>
  outer === modes.hereDocument || outer === modes.hereOperand || outer === modes.hereInner
    ? modes.hereOperand
    : outer.quoted
    ? modes.quotedOperand
    : modes.operand

/** What bash would read again after `$'…'` within `"${…}"` has been decoded. */
const readAgain = /[$`"\\}]/

/** What a backslash quotes within double quotes. */
const escapable = '$`"\\'

/** Words without the substitutions, which need commands. */
export abstract class Words extends Reader {
  /** What `$` begins, if anything. Stands at the `$`. */
  protected abstract dollar(mode: Mode): WordPart | undefined
  protected abstract backquoted(mode: Mode): WordPart
  /** Statements up to a `)`, which is taken; the opening stands at `opened`. */
  protected abstract substituted(opened: number): Script

  /** The parts from the place to where the text of this kind ends. `opaque` collects what is not plain. */
  parts(mode: Mode, opaque?: Array<Opaque>, extglob = false): Array<WordPart> {
    const parts: Array<WordPart> = []
    let value = ""
    let from = this.pos
    let depth = 0
    let hidden = false
    const [open, close] = mode.pairs
    const flush = (): void => {
      if (value !== "") parts.push({ _tag: "Literal", value, span: this.span(from) })
      value = ""
    }
    for (;;) {
      const start = this.pos
      if (value === "") from = start
      mode.special.lastIndex = start
      const plain = mode.special.exec(this.text)?.[0] ?? ""
      this.pos += plain.length
      this.step(plain.length + 1)
      value += plain
      const c = this.peek()
      if (c === "") break
      const next = this.peek(1)
      const group = extglob && c === "(" && depth === 0 && /[?*+@!]$/.test(value)
      if (c === mode.always) break
      if (depth === 0 && !hidden && mode.stop.includes(c) && !group) {
        if (!(mode.process && (c === "<" || c === ">") && next === "(")) break
      }
      if (c === "\\" && next === "\n") {
        this.pos += 2
        continue
      }
      if (c === "\\" && next === "'" && mode.single === "literally" && !hidden) {
        this.pos += 2
        value += "\\'"
        continue
      }
      const at = this.pos
      const part = this.special(mode, c, next)
      if (part !== undefined) {
        const end = this.pos
        this.pos = at
        flush()
        this.pos = end
        parts.push(part)
        opaque?.push({ start: at, end, part })
        continue
      }
      if (group) {
        this.pos++
        value += c
        flush()
        for (const part of this.group()) parts.push(part)
        continue
      }
      if (c === "'" && mode.single === "literally") hidden = !hidden
      if (c === open) depth++
      else if (c === close && depth > 0) depth--
      this.pos++
      value += c
    }
    flush()
    return parts
  }

  /** The rest of `@(…)`: its parentheses are in pairs, and all else stands for itself. */
  private group(): Array<WordPart> {
    const opened = this.pos - 1
    const parts = this.parts(groupMode)
    if (this.peek() === "") throw this.unclosed(")", opened)
    this.pos++
    return [...parts, { _tag: "Literal", value: ")", span: this.span(this.pos - 1) }]
  }

  private special(mode: Mode, c: string, next: string): WordPart | undefined {
    const start = this.pos
    switch (c) {
      case "\\": {
        if (next === "") return undefined
        const stands = mode === modes.hereDocument ? "$`\\" : escapable
        const quotes = mode.single === "literally"
          ? next === "}"
          : mode === modes.innerQuoted || mode === modes.hereInner
        if (mode.quoted && !quotes && !stands.includes(next)) return undefined
        const value = String.fromCodePoint(this.text.codePointAt(start + 1) ?? 0)
        this.pos += 1 + value.length
        return { _tag: "Escaped", value, span: this.span(start) }
      }
      case "'":
        return mode.single === true ? this.singleQuoted(start, start + 1, false) : undefined
      case '"':
        return mode.double ? this.doubleQuoted(start, start + 1, mode) : undefined
      case "$": {
        // A continuation may stand between `$` and the quote.
        const quote = this.afterContinuations(start + 1)
        const after = this.text[quote]
        if ((!mode.quoted || mode === modes.quotedOperand) && after === "'") {
          const part = this.singleQuoted(start, quote + 1, true)
          if (mode.quoted && part._tag === "SingleQuoted" && readAgain.test(part.value)) {
            throw this.refusal('$\'…\' without $, `, ", \\ and } within "${…}"', start)
          }
          return part
        }
        if (mode.double && after === '"') return this.doubleQuoted(start, quote + 1, mode)
        return this.dollar(mode)
      }
      case "`":
        return this.backquoted(mode)
      case "<":
      case ">": {
        if (!mode.process || next !== "(") return undefined
        this.pos += 2
        return {
          _tag: "ProcessSubstitution",
          direction: c,
          script: this.substituted(start + 1),
          span: this.span(start),
        }
      }
      default:
        return undefined
    }
  }

  private singleQuoted(start: number, from: number, ansi: boolean): WordPart {
    let end = this.text.indexOf("'", from)
    for (let escape = from; ansi && end >= 0; escape += 2) {
      escape = this.text.indexOf("\\", escape)
      if (escape < 0 || escape > end) break
      if (escape + 1 === end) end = this.text.indexOf("'", end + 1)
    }
    this.step((end < 0 ? this.text.length : end) - start)
    if (end < 0) throw this.unclosed("'", from - 1)
    const text = this.text.slice(from, end)
    this.pos = end + 1
    return { _tag: "SingleQuoted", value: ansi ? decodeAnsi(text) : text, ansi, span: this.span(start) }
  }

  private doubleQuoted(start: number, from: number, outer: Mode): WordPart {
    this.enter()
    this.pos = from
    const inner = outer === modes.quotedOperand
      ? modes.innerQuoted
      : outer === modes.hereOperand
      ? modes.hereInner
      : modes.doubleQuoted
    const parts = this.parts(inner)
    if (this.peek() === "") throw this.unclosed('"', from - 1)
    this.pos++
    this.leave()
    return { _tag: "DoubleQuoted", parts, localized: from > start + 1, span: this.span(start) }
  }

  /** A word at the place, after blanks; `undefined` when there is none. */
  word(mode: Mode = modes.word, extglob: boolean = this.source.extglob): Word | undefined {
    this.blanks()
    const start = this.pos
    const parts = this.parts(mode, undefined, extglob)
    return this.pos === start ? undefined : this.wordOf(splitTildes(parts, false), start)
  }

  wordOf(parts: ReadonlyArray<WordPart>, start: number, braces = true): Word {
    const holds = (text: string): boolean => parts.some((part) => part._tag === "Literal" && part.value.includes(text))
    const found = braces && holds("{") && holds("}") && (holds(",") || holds(".."))
    return { _tag: "Word", parts, braces: found, span: this.span(start) }
  }

  /** A word that must be there. */
  someWord(expected: string): Word {
    const word = this.operator() === "" ? this.word() : undefined
    if (word === undefined) throw this.error(expected)
    return word
  }
}

/** The text of a word that is all plain text. */
export const plainText = (word: Word): string | undefined => {
  const [first] = word.parts
  return first?._tag === "Literal" && word.parts.length === 1 ? first.value : undefined
}

const groupMode: Mode = mode(")", "()", false, true, true)
