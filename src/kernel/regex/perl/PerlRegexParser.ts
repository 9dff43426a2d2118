/**
 * Parses Perl's regular expressions, as Oniguruma reads them for jq or PCRE for grep. The kernel's own engine finds the longest
 * match of POSIX, and has neither lazy repetitions nor named groups.
 */
import { RegexError } from "../RegexError.ts"
import { At, type CharacterSet, type Flags, Look, type PerlDialect, type Tree } from "./PerlProgram.ts"
import {
  asciiShorthand,
  byPattern,
  classPatterns,
  foldSet,
  not,
  unicodeProperty,
  unicodeShorthand,
} from "./characterSets.ts"

const maxDepth = 250
const maxRepeat = 100_000

const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7, e: 27 }

export class PerlRegexParser {
  readonly #text: ReadonlyArray<string>
  readonly #isPcre: boolean
  #at = 0
  #depth = 0
  readonly names: Array<string | undefined> = []
  isRegular = true

  constructor(pattern: string, dialect: PerlDialect) {
    this.#text = Array.from(pattern)
    this.#isPcre = dialect === "PCRE"
  }

  parse(flags: Flags): Tree {
    const tree = this.#alternatives(flags)
    if (this.#at < this.#text.length) throw new RegexError("unmatched close parenthesis")
    return tree
  }

  #sees(text: string): boolean {
    for (let index = 0; index < text.length; index++) if (this.#text[this.#at + index] !== text[index]) return false
    return true
  }

  #accept(text: string): boolean {
    if (!this.#sees(text)) return false
    this.#at += text.length
    return true
  }

  #alternatives(outer: Flags): Tree {
    if (++this.#depth > maxDepth) throw new RegexError("too deep nest level")
    let flags = outer
    const ways: Array<Tree> = []
    let parts: Array<Tree> = []
    while (this.#at < this.#text.length && !this.#sees(")")) {
      if (this.#accept("|")) {
        ways.push({ _tag: "All", of: parts })
        parts = []
        continue
      }
      const changed = this.#inlineFlags(flags)
      if (changed !== undefined) {
        flags = changed
        continue
      }
      const part = this.#repeated(flags)
      if (part !== undefined) parts.push(part)
    }
    this.#depth--
    ways.push({ _tag: "All", of: parts })
    return ways.length === 1 ? { _tag: "All", of: parts } : { _tag: "Any", of: ways }
  }

  /** `(?i)`: flags up to the end of the group. */
  #inlineFlags(flags: Flags): Flags | undefined {
    const found = /^\(\?([imsx]*)(?:-([imsx]*))?\)/.exec(this.#text.slice(this.#at, this.#at + 16).join(""))
    if (found === null) return undefined
    this.#at += found[0].length
    return this.#withFlags(flags, found[1] ?? "", found[2] ?? "")
  }

  #withFlags(flags: Flags, on: string, off: string): Flags {
    const choose = (letters: RegExp, before: boolean): boolean => (before || letters.test(on)) && !letters.test(off)
    return {
      ignoreCase: choose(/i/, flags.ignoreCase),
      extended: choose(/x/, flags.extended),
      dotAll: choose(this.#isPcre ? /s/ : /[ms]/, flags.dotAll),
      multiline: choose(/m/, flags.multiline),
    }
  }

  #repeated(flags: Flags): Tree | undefined {
    const start = this.#at
    let tree = this.#atom(flags)
    if (tree === undefined) return undefined
    for (;;) {
      const bounds = this.#bounds()
      if (bounds === undefined) return tree
      if (tree._tag === "At" && this.#at === start) return tree
      const [min, max] = bounds
      if (min > maxRepeat || max !== Infinity && max > maxRepeat) throw new RegexError("too big number is specified")
      const isLazy = this.#accept("?")
      const isPossessive = !isLazy && this.#accept("+")
      tree = { _tag: "Repeat", of: tree, min: Math.min(min, max), max: Math.max(min, max), isLazy }
      if (isPossessive) tree = { _tag: "Look", kind: Look.atomic, of: tree }
    }
  }

  #bounds(): readonly [min: number, max: number] | undefined {
    if (this.#accept("*")) return [0, Infinity]
    if (this.#accept("+")) return [1, Infinity]
    if (this.#accept("?")) return [0, 1]
    const found = /^\{(\d*)(?:(,)(\d*))?\}/.exec(this.#text.slice(this.#at, this.#at + 24).join(""))
    if (found === null) return undefined
    const [whole, low = "", comma, high = ""] = found
    if (low === "" && high === "") return undefined
    this.#at += whole.length
    return [Number(low), comma === undefined ? Number(low) : high === "" ? Infinity : Number(high)]
  }

  #literal(code: number, flags: Flags): Tree {
    if (!flags.ignoreCase) return { _tag: "Set", set: (other) => other === code }
    return { _tag: "Set", set: foldSet((other) => other === code) }
  }

  #atom(flags: Flags): Tree | undefined {
    const letter = this.#text[this.#at++] ?? ""
    if (flags.extended) {
      if (/\s/.test(letter)) return undefined
      if (letter === "#") {
        while (this.#at < this.#text.length && this.#text[this.#at++] !== "\n");
        return undefined
      }
    }
    switch (letter) {
      case "(":
        return this.#group(flags)
      case "[":
        return { _tag: "Set", set: this.#bracket(flags) }
      case ".":
        return { _tag: "Set", set: flags.dotAll ? () => true : (code) => code !== 10 }
      case "^":
        return { _tag: "At", what: this.#isPcre && flags.multiline ? At.lineStart : At.start }
      case "$":
        return { _tag: "At", what: this.#isPcre && flags.multiline ? At.lineEnd : At.endOrNewline }
      case "*":
      case "+":
      case "?":
        throw new RegexError("target of repeat operator is not specified")
      case "\\":
        return this.#escape(flags)
      default:
        return this.#literal(letter.codePointAt(0) ?? 0, flags)
    }
  }

  #group(flags: Flags): Tree {
    const looks = [["?=", 0], ["?!", 1], ["?<=", 2], ["?<!", 3], ["?>", 4]] as const
    if (this.#accept("?#")) {
      while (this.#at < this.#text.length && !this.#sees(")")) this.#at++
      this.#close()
      return { _tag: "All", of: [] }
    }
    for (const [prefix, kind] of looks) {
      if (!this.#accept(prefix)) continue
      const of = this.#alternatives(flags)
      this.#close()
      return { _tag: "Look", kind, of }
    }
    let inner = flags
    let index = -1
    const rest = this.#text.slice(this.#at, this.#at + 80).join("")
    const named = /^\?P?<([\p{L}_][\p{L}\p{N}_]*)>|^\?'([\p{L}_][\p{L}\p{N}_]*)'/u.exec(rest)
    const flagged = /^\?([imsx]*)(?:-([imsx]*))?:/.exec(rest)
    if (flagged !== null) {
      this.#at += flagged[0].length
      inner = this.#withFlags(flags, flagged[1] ?? "", flagged[2] ?? "")
    } else if (named !== null) {
      this.#at += Array.from(named[0]).length
      index = this.names.push(named[1] ?? named[2])
    } else if (this.#sees("?")) throw new RegexError(rest === "?" ? "end pattern in group" : "undefined group option")
    else index = this.names.push(undefined)
    const of = this.#alternatives(inner)
    this.#close()
    return index < 0 ? of : { _tag: "Group", index, of }
  }

  #close(): void {
    if (!this.#accept(")")) throw new RegexError("end pattern with unmatched parenthesis")
  }

  /** A character by its number, after `\`. */
  #code(letter: string): number | undefined {
    const rest = this.#text.slice(this.#at, this.#at + 12).join("")
    const found = letter === "x"
      ? /^(?:\{([0-9a-fA-F]{1,8})\}|([0-9a-fA-F]{1,2}))/.exec(rest)
      : letter === "u"
      ? /^([0-9a-fA-F]{4})/.exec(rest)
      : letter === "0"
      ? /^([0-7]{0,2})/.exec(rest)
      : null
    if (found === null) return controls[letter]
    this.#at += found[0].length
    const code = parseInt(`0${found[1] ?? found[2] ?? ""}`, letter === "0" ? 8 : 16)
    return code <= 0x10ffff ? code : undefined
  }

  /** The set of `\d`, `\p{…}` and the like. */
  #shorthand(letter: string): CharacterSet | undefined {
    const lower = letter.toLowerCase()
    const set = (this.#isPcre ? asciiShorthand : unicodeShorthand)[lower]
    if (this.#isPcre && letter === "N") return (code) => code !== 10
    if (set !== undefined && letter.length === 1) return letter === lower ? set : not(set)
    if (lower !== "p") return undefined
    const found = /^\{(\^?)([\w =]+)\}/.exec(this.#text.slice(this.#at, this.#at + 64).join(""))
    if (found === null) throw new RegexError("invalid character property name {p}")
    this.#at += found[0].length
    const name = found[2] ?? ""
    const property = Object.hasOwn(classPatterns, name.toLowerCase())
      ? classPatterns[name.toLowerCase()]
      : unicodeProperty(name)
    if (property === undefined) throw new RegexError(`invalid character property name {${name}}`)
    return letter === "P" !== (found[1] === "^") ? not(byPattern(property)) : byPattern(property)
  }

  #escape(flags: Flags): Tree {
    const letter = this.#text[this.#at++]
    if (letter === undefined) throw new RegexError("end pattern at escape")
    const positions: Readonly<Record<string, number>> = {
      ...{ A: At.start, z: At.end, Z: At.endOrNewline, b: At.edge, B: At.noEdge, G: At.start },
    }
    const what = Object.hasOwn(positions, letter) ? positions[letter] : undefined
    if (what !== undefined) return { _tag: "At", what }
    const set = this.#shorthand(letter)
    if (set !== undefined) return { _tag: "Set", set }
    if (letter === "K") return { _tag: "Keep" }
    if (this.#isPcre && /[gXC]/.test(letter)) throw new RegexError(`\\${letter} is not supported`)
    if (letter === "R") {
      const newline: Tree = {
        _tag: "Set",
        set: (code) => code >= 10 && code <= 13 || code === 0x85 || code === 0x2028 || code === 0x2029,
      }
      const both: Tree = { _tag: "All", of: [this.#literal(13, flags), this.#literal(10, flags)] }
      return { _tag: "Any", of: [both, newline] }
    }
    if (letter === "Q") {
      const parts: Array<Tree> = []
      while (this.#at < this.#text.length && !this.#accept("\\E")) {
        parts.push(this.#literal((this.#text[this.#at++] ?? "").codePointAt(0) ?? 0, flags))
      }
      return { _tag: "All", of: parts }
    }
    if (/[1-9]/.test(letter)) {
      let digits = letter
      while (/\d/.test(this.#text[this.#at] ?? "") && digits.length < 3) digits += this.#text[this.#at++]
      this.isRegular = false
      return { _tag: "Back", index: Number(digits) }
    }
    if (letter === "k") {
      const found = /^[<'{](\w+)[>'}]/.exec(this.#text.slice(this.#at, this.#at + 64).join(""))
      if (found === null) throw new RegexError("invalid backref number/name")
      this.#at += found[0].length
      this.isRegular = false
      return { _tag: "Back", index: /^\d+$/.test(found[1] ?? "") ? Number(found[1]) : found[1] ?? "" }
    }
    return this.#literal(this.#code(letter) ?? letter.codePointAt(0) ?? 0, flags)
  }

  /** A bracket expression; `[` was read. */
  #bracket(flags: Flags): CharacterSet {
    if (++this.#depth > maxDepth) throw new RegexError("too deep nest level")
    const isNegated = this.#accept("^")
    const sets: Array<CharacterSet> = []
    const ranges: Array<number> = []
    let other: CharacterSet | undefined
    for (let isFirst = true;; isFirst = false) {
      const letter = this.#text[this.#at++]
      if (letter === undefined) throw new RegexError("premature end of char-class")
      if (letter === "]" && (!isFirst || sets.length > 0)) break
      if (letter === "]" && !this.#text.slice(this.#at).includes("]")) throw new RegexError("empty char-class")
      if (letter === "[") {
        const found = /^:(\^?)(\w+):\]/.exec(this.#text.slice(this.#at, this.#at + 16).join(""))
        const name = found?.[2] ?? ""
        const pattern = Object.hasOwn(classPatterns, name) ? classPatterns[name] : undefined
        if (found !== null && pattern !== undefined) {
          this.#at += found[0].length
          sets.push(found[1] === "^" ? not(byPattern(pattern)) : byPattern(pattern))
        } else if (this.#isPcre) ranges.push(91, 91)
        else sets.push(this.#bracket(flags))
        continue
      }
      if (letter === "&" && !this.#isPcre && this.#accept("&")) {
        other = this.#bracket(flags)
        break
      }
      const low = this.#member(letter)
      if (typeof low === "function") {
        sets.push(low)
        continue
      }
      let high = low
      if (this.#sees("-") && this.#text[this.#at + 1] !== "]" && this.#text[this.#at + 1] !== undefined) {
        this.#at++
        const end = this.#member(this.#text[this.#at++] ?? "")
        if (typeof end === "number") high = end
        else {
          sets.push(end)
          ranges.push(45, 45)
        }
      }
      if (high < low) throw new RegexError("empty range in char class")
      ranges.push(low, high)
    }
    this.#depth--
    const inRanges: CharacterSet = (code) => {
      for (let at = 0; at < ranges.length; at += 2) {
        if (code >= (ranges[at] ?? 0) && code <= (ranges[at + 1] ?? 0)) return true
      }
      return false
    }
    const any: CharacterSet = (code) => inRanges(code) || sets.some((set) => set(code))
    const folded = flags.ignoreCase ? foldSet(any) : any
    const both: CharacterSet = other === undefined ? folded : (code) => folded(code) && (other?.(code) ?? true)
    return isNegated ? not(both) : both
  }

  #member(letter: string): number | CharacterSet {
    if (letter !== "\\") return letter.codePointAt(0) ?? 0
    const next = this.#text[this.#at++]
    if (next === undefined) throw new RegexError("end pattern at escape")
    if (next === "b") return 8
    return this.#shorthand(next) ?? this.#code(next) ?? next.codePointAt(0) ?? 0
  }
}
