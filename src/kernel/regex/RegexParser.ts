/**
 * Parses a POSIX regular expression, basic or extended, with the extensions of GNU.
 * Source: POSIX.1-2024 chapter 9, regex(7), grep(1).
 */
import { RegexError } from "./RegexError.ts"
import { classRanges, wordRanges } from "./characterClasses.ts"
import { Assertion, complementRanges, foldCase, mergeRanges, type RegexNode } from "./RegexNode.ts"

export interface RegexSyntax {
  /** Neither `.` nor a negated set matches a newline. */
  readonly excludesNewline?: boolean | undefined
  readonly extended?: boolean | undefined
  readonly ignoreCase?: boolean | undefined
  /** Characters are UTF-8; otherwise each is one byte. */
  readonly utf8?: boolean | undefined
  /** `\n`, `\t` and the like are control characters, also in brackets, as in sed. */
  readonly escapes?: boolean | undefined
  /** In an extended pattern, an unmatched `)` is an ordinary character. */
  readonly loose?: boolean | undefined
}

const controls: Readonly<Record<string, number>> = { n: 10, t: 9, f: 12, v: 11, a: 7, r: 13 }

const maxRepeat = 32_767
const maxDepth = 250

/** Parses one pattern; `firstGroup` groups precede it. */
export class RegexParser {
  readonly #text: ReadonlyArray<number>
  readonly #syntax: RegexSyntax
  readonly #extended: boolean
  readonly #utf8: boolean
  #at = 0
  #depth = 0
  readonly #firstGroup: number
  readonly #closed = new Set<number>()
  groups: number
  hasBackReferences = false

  constructor(pattern: ReadonlyArray<number>, syntax: RegexSyntax, firstGroup: number) {
    this.#text = pattern
    this.#syntax = syntax
    this.#extended = syntax.extended === true
    this.#utf8 = syntax.utf8 === true
    this.#firstGroup = firstGroup
    this.groups = firstGroup
  }

  parse(): RegexNode {
    const node = this.#alternatives()
    if (this.#at < this.#text.length) throw new RegexError("Unmatched ) or \\)")
    return node
  }

  #is(text: string, at: number = this.#at): boolean {
    for (let index = 0; index < text.length; index++) {
      if (this.#text[at + index] !== text.charCodeAt(index)) return false
    }
    return true
  }

  /** Whether an operator follows: `(` in an extended pattern, `\(` in a basic one. */
  #isOperator(sign: string, at: number = this.#at): boolean {
    return this.#is(this.#extended ? sign : `\\${sign}`, at)
  }

  #take(sign: string): boolean {
    if (!this.#isOperator(sign)) return false
    this.#at += this.#extended ? 1 : 2
    return true
  }

  #alternatives(): RegexNode {
    if (++this.#depth > maxDepth) throw new RegexError("Regular expression too big")
    const of = [this.#sequence()]
    while (this.#take("|")) of.push(this.#sequence())
    this.#depth--
    return of.length === 1 && of[0] !== undefined ? of[0] : { _tag: "Any", of }
  }

  #sequence(): RegexNode {
    const of: Array<RegexNode> = []
    let first = true
    while (this.#at < this.#text.length && !this.#isOperator("|")) {
      if (this.#isOperator(")") && (this.#depth > 1 || (this.#extended && !this.#syntax.loose))) break
      if (!this.#extended && this.#depth === 1 && this.#isOperator(")")) throw new RegexError("Unmatched ) or \\)")
      const anchor = this.#anchor(first)
      const atom = anchor ?? this.#atom(first)
      of.push(anchor !== undefined && !this.#extended ? atom : this.#repeat(atom))
      first = anchor !== undefined && !this.#extended && first
    }
    return of.length === 1 && of[0] !== undefined ? of[0] : { _tag: "All", of }
  }

  #anchor(first: boolean): RegexNode | undefined {
    const at = this.#at
    if (this.#is("^") && (this.#extended || first)) {
      this.#at++
      return { _tag: "At", what: Assertion.lineStart }
    }
    const ends = this.#extended || at + 1 === this.#text.length || this.#isOperator(")", at + 1) ||
      this.#isOperator("|", at + 1)
    if (!this.#is("$") || !ends) return undefined
    this.#at++
    return { _tag: "At", what: Assertion.lineEnd }
  }

  #repeat(atom: RegexNode): RegexNode {
    let node = atom
    for (;;) {
      if (this.#is("*")) {
        this.#at++
        node = { _tag: "Repeat", of: node, min: 0, max: Infinity }
      } else if (this.#take("+")) node = { _tag: "Repeat", of: node, min: 1, max: Infinity }
      else if (this.#take("?")) node = { _tag: "Repeat", of: node, min: 0, max: 1 }
      else if (this.#isOperator("{")) {
        const interval = this.#interval()
        if (interval === undefined) return node
        node = { _tag: "Repeat", of: node, min: interval[0], max: interval[1] }
      } else return node
    }
  }

  #number(): number | undefined {
    let value: number | undefined
    for (;;) {
      const digit = (this.#text[this.#at] ?? 0) - 48
      if (digit < 0 || digit > 9) return value
      value = Math.min((value ?? 0) * 10 + digit, maxRepeat + 1)
      this.#at++
    }
  }

  #interval(): readonly [number, number] | undefined {
    const start = this.#at
    this.#take("{")
    const low = this.#number()
    let high = low
    const comma = this.#is(",")
    if (comma) {
      this.#at++
      high = this.#number() ?? Infinity
    }
    const closed = this.#take("}")
    const min = low ?? 0
    const fits = closed && (low !== undefined || comma)
    if (fits && high !== undefined && min <= high) {
      if (min > maxRepeat || (high > maxRepeat && high !== Infinity)) {
        throw new RegexError("Regular expression too big")
      }
      return [min, high]
    }
    if (!this.#extended) throw new RegexError(closed ? "Invalid content of \\{\\}" : "Unmatched \\{")
    if (fits) throw new RegexError("Invalid content of \\{\\}")
    this.#at = start
    return undefined
  }

  #set(ranges: ReadonlyArray<number>): RegexNode {
    const whole = mergeRanges(ranges)
    return { _tag: "Set", ranges: this.#syntax.ignoreCase ? foldCase(whole, this.#utf8) : whole }
  }

  #atom(first: boolean): RegexNode {
    const code = this.#text[this.#at] ?? 0
    if (this.#take("(")) return this.#group()
    if (this.#is("[")) {
      this.#at++
      return this.#bracket()
    }
    if (this.#is(".")) {
      this.#at++
      return { _tag: "Set", ranges: this.#complement([]) }
    }
    if (this.#is("\\")) return this.#escape()
    if (this.#extended && first && (this.#is("*") || this.#is("+") || this.#is("?"))) return { _tag: "All", of: [] }
    this.#at++
    return this.#set([code, code])
  }

  #group(): RegexNode {
    const index = ++this.groups
    const of = this.#alternatives()
    if (!this.#take(")")) throw new RegexError("Unmatched ( or \\(")
    this.#closed.add(index)
    return { _tag: "Group", index, of }
  }

  #escape(): RegexNode {
    const code = this.#text[this.#at + 1]
    if (code === undefined) throw new RegexError("Trailing backslash")
    this.#at += 2
    const letter = code < 128 ? String.fromCharCode(code) : ""
    const what = "`'bB<>".indexOf(letter)
    if (letter !== "" && what >= 0) return { _tag: "At", what: Assertion.textStart + what }
    if (letter >= "1" && letter <= "9") {
      const index = this.#firstGroup + code - 48
      if (!this.#closed.has(index)) throw new RegexError("Invalid back reference")
      this.hasBackReferences = true
      return { _tag: "Back", index }
    }
    const lower = letter.toLowerCase()
    if (lower === "w" || lower === "s") {
      const ranges = mergeRanges(lower === "w" ? wordRanges(this.#utf8) : classRanges("space", this.#utf8) ?? [])
      return { _tag: "Set", ranges: lower === letter ? ranges : complementRanges(ranges, this.#utf8) }
    }
    if (!this.#extended && letter === "{") throw new RegexError("Invalid preceding regular expression")
    const control = this.#syntax.escapes ? controls[letter] : undefined
    const value = control ?? code
    return this.#set([value, value])
  }

  #bracket(): RegexNode {
    const negated = this.#is("^")
    if (negated) this.#at++
    const ranges: Array<number> = []
    for (let first = true; first || !this.#is("]"); first = false) {
      if (this.#is("[:")) {
        ranges.push(...this.#class())
        continue
      }
      const low = this.#element()
      let high = low
      if (this.#is("-") && !this.#is("]", this.#at + 1)) {
        this.#at++
        high = this.#element()
        if (high < low) throw new RegexError("Invalid range end")
      }
      ranges.push(low, high)
    }
    this.#at++
    const whole = mergeRanges(this.#syntax.ignoreCase ? foldCase(mergeRanges(ranges), this.#utf8) : ranges)
    return { _tag: "Set", ranges: negated ? this.#complement(whole) : whole }
  }

  /** All other characters. */
  #complement(ranges: ReadonlyArray<number>): Array<number> {
    return complementRanges(this.#syntax.excludesNewline ? mergeRanges([...ranges, 10, 10]) : ranges, this.#utf8)
  }

  #class(): ReadonlyArray<number> {
    const from = this.#at + 2
    this.#at = from
    while (!this.#is(":]")) {
      if (this.#at >= this.#text.length) throw new RegexError("Unmatched [, [^, [:, [., or [=")
      this.#at++
    }
    const name = String.fromCharCode(...this.#text.slice(from, this.#at))
    this.#at += 2
    const folded = this.#syntax.ignoreCase && (name === "upper" || name === "lower") ? "alpha" : name
    const ranges = classRanges(folded, this.#utf8)
    if (ranges === undefined) throw new RegexError("Invalid character class name")
    return ranges
  }

  #element(): number {
    const code = this.#text[this.#at]
    if (code === undefined) throw new RegexError("Unmatched [, [^, [:, [., or [=")
    this.#at++
    if (code === 91 && (this.#is(".") || this.#is("="))) {
      const sign = this.#text[this.#at]
      const element = this.#text[this.#at + 1]
      if (this.#text[this.#at + 2] !== sign || this.#text[this.#at + 3] !== 93 || element === undefined) {
        throw new RegexError("Invalid collation character")
      }
      this.#at += 4
      return element
    }
    const next = this.#text[this.#at]
    if (code !== 92 || !this.#syntax.escapes || next === undefined) return code
    const control = controls[String.fromCharCode(next)]
    if (control === undefined) return code
    this.#at++
    return control
  }
}
