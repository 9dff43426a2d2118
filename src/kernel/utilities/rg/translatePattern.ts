/**
 * Translates a regular expression in the syntax of ripgrep to an extended one of POSIX, which the kernel's engine
 * matches in linear time. Its matches are the longest ones: for `a|ab` it finds `ab` where ripgrep finds `a`. Source:
 * the documentation of Rust's crate regex, "Syntax".
 */
import { RegexError } from "../../regex/RegexError.ts"

export interface TranslatedPattern {
  readonly text: string
  readonly ignoreCase: boolean
  /** For each group of the pattern, its number in the translated text, in which `(?:…)` also counts. */
  readonly groups: ReadonlyArray<number>
  readonly names: ReadonlyMap<string, number>
  /** Whether a repetition should match as little as possible, which the engine does not support. */
  readonly isLazy: boolean
}

const controls: Readonly<Record<string, string>> = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" }
const classes: Readonly<Record<string, string>> = { d: "[:digit:]", s: "[:space:]", w: "[:alnum:]_" }

/** Unicode's properties that the engine has as classes. */
const properties: Readonly<Record<string, string>> = {
  ...{
    L: "alpha",
    Letter: "alpha",
    Alphabetic: "alpha",
    Lu: "upper",
    Uppercase: "upper",
    Ll: "lower",
    Lowercase: "lower",
  },
  ...{ N: "digit", Nd: "digit", P: "punct", Punctuation: "punct" },
}

/** The part of an escape after its backslash. */
const readEscape = (text: string, at: number): { readonly value: string; readonly end: number } => {
  const letter = text[at] ?? ""
  const hex = /^(?:x([0-9A-Fa-f]{2})|[xu]\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4}))/.exec(text.slice(at, at + 10))
  if (hex !== null) {
    const code = parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16)
    if (code > 0x10ffff) throw new RegexError("invalid escape: not a character")
    return { value: String.fromCodePoint(code), end: at + hex[0].length }
  }
  if (letter === "") throw new RegexError("incomplete escape sequence")
  const control = controls[letter]
  if (control !== undefined) return { value: control, end: at + 1 }
  if (/[0-9]/.test(letter)) throw new RegexError("backreferences are not supported")
  if (/[A-Za-z]/.test(letter)) throw new RegexError(`unrecognized escape sequence \\${letter}`)
  return { value: letter, end: at + 1 }
}

const quote = (character: string): string => /[\\^$.[\]|()*+?{}]/.test(character) ? `\\${character}` : character

/** Translates a set in brackets, whose `[` is at an index. */
const readSet = (text: string, start: number): { readonly value: string; readonly end: number } => {
  let at = start + 1
  const negated = text[at] === "^"
  if (negated) at++
  const parts: Array<string> = []
  /** Characters with a special place in brackets. */
  const special = new Set<string>()
  const take = (): string | undefined => {
    const letter = text[at] ?? ""
    if (letter === "") throw new RegexError("unclosed character class")
    if (letter === "\\") {
      const known = classes[text[at + 1] ?? ""]
      if (known !== undefined) {
        parts.push(known)
        at += 2
        return undefined
      }
      if (/[DSW]/.test(text[at + 1] ?? "")) throw new RegexError(`\\${text[at + 1]} within brackets is not supported`)
      const { end, value } = readEscape(text, at + 1)
      at = end
      return value
    }
    const named = /^\[:\^?[a-z]+:\]/.exec(text.slice(at, at + 20))
    if (named !== null) {
      if (named[0][2] === "^") throw new RegexError(`${named[0]} is not supported`)
      parts.push(named[0])
      at += named[0].length
      return undefined
    }
    if (letter === "[" || (/^(&&|--|~~)/.test(text.slice(at)) && text[at + 2] === "[")) {
      throw new RegexError("sets within sets are not supported")
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
    at += character.length
    return character
  }
  for (let first = true; first || text[at] !== "]"; first = false) {
    const low = take()
    if (low === undefined) continue
    if (text[at] === "-" && text[at + 1] !== "]" && at + 1 < text.length) {
      at++
      const high = take()
      if (high === undefined || high < low) throw new RegexError("invalid character class range")
      parts.push(`${low}-${high}`)
    } else if (low === "]" || low === "-" || low === "^" || low === "[") special.add(low)
    else parts.push(low)
  }
  const has = (character: string): string => special.has(character) ? character : ""
  const rest = parts.join("") + has("[")
  const isCaret = special.has("^") && rest === "" && !special.has("]") && !negated
  const value = isCaret && !special.has("-")
    ? "\\^"
    : `[${negated ? "^" : ""}${has("]")}${rest}${isCaret ? "-^" : `${has("^")}${has("-")}`}]`
  return { value, end: at + 1 }
}

/** Translates a pattern. With `multiline` it may match newlines where it names them. Throws a `RegexError`. */
export const translatePattern = (pattern: string, multiline: boolean, firstGroup: number): TranslatedPattern => {
  let out = ""
  let ignoreCase = false
  let dotAll = false
  let isLazy = false
  let count = firstGroup
  const groups: Array<number> = []
  const names = new Map<string, number>()
  let depth = 0
  for (let at = 0; at < pattern.length;) {
    const letter = pattern[at] ?? ""
    if (letter === "\\") {
      const next = pattern[at + 1] ?? ""
      if (/[wWsSbB]/.test(next)) {
        out += `\\${next}`
        at += 2
      } else if (next === "d" || next === "D") {
        out += next === "d" ? "[[:digit:]]" : "[^[:digit:]]"
        at += 2
      } else if (next === "p" || next === "P") {
        const [all = "", letter, word] = /^(?:([A-Z])|\{(\w+)\})/.exec(pattern.slice(at + 2, at + 40)) ?? []
        const name = properties[letter ?? word ?? ""]
        if (name === undefined) throw new RegexError(`\\${next}${all} is not supported`)
        out += `[${next === "p" ? "" : "^"}[:${name}:]]`
        at += 2 + all.length
      } else if (next === "A" || next === "z") {
        out += next === "A" ? "\\`" : "\\'"
        at += 2
      } else {
        const { end, value } = readEscape(pattern, at + 1)
        if (value === "\n" && !multiline) {
          throw new RegexError(
            'the literal "\\n" is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).',
          )
        }
        out += quote(value)
        at = end
      }
    } else if (letter === "[") {
      const { end, value } = readSet(pattern, at)
      out += value
      at = end
    } else if (letter === "(") {
      const head = /^\(\?(?:P?<([A-Za-z_][A-Za-z0-9_]*)>|([a-z]*)(-[a-z]+)?([:)]))?/.exec(pattern.slice(at, at + 80))
      if (head === null) {
        count++
        groups.push(count)
        out += "("
        depth++
        at++
        continue
      }
      const [all, name, flags = "", negative, end] = head
      if (name === undefined && end === undefined) {
        throw new RegexError("look-around, including look-ahead and look-behind, is not supported")
      }
      if (flags !== "" || negative !== undefined) {
        if (at > 0 || end !== ")" || negative !== undefined || !/^[imsu]*$/.test(flags)) {
          throw new RegexError(`${all}: flags are supported as (?i), (?m) and (?s) at the start of a pattern`)
        }
        ignoreCase = flags.includes("i")
        dotAll = flags.includes("s")
        at += all.length
        continue
      }
      count++
      if (name !== undefined) {
        groups.push(count)
        names.set(name, groups.length)
      }
      out += "("
      depth++
      at += all.length
    } else if (letter === ")") {
      if (depth-- === 0) throw new RegexError("unopened group")
      out += letter
      at++
    } else if (letter === ".") {
      out += multiline && !dotAll ? "[^\n]" : "."
      at++
    } else if (/[*+?}]/.test(letter) && pattern[at + 1] === "?") {
      if ("*+?".includes(letter) && (out === "" || out.endsWith("(") || out.endsWith("|"))) {
        throw new RegexError("repetition operator missing expression")
      }
      isLazy = true
      out += letter
      at += 2
    } else if (/[*+?]/.test(letter) && (out === "" || /(^|[^\\])[(|]$/.test(out))) {
      throw new RegexError("repetition operator missing expression")
    } else {
      out += letter
      at++
    }
  }
  if (depth > 0) throw new RegexError("unclosed group")
  return { groups, ignoreCase, isLazy, names, text: out }
}

/** Whether a pattern has no upper-case letter that stands for itself, as `--smart-case` asks. */
export const isLowerCase = (pattern: string): boolean => {
  const literal = pattern.replace(/\\(?:[pP]\{[^}]*\}|.)/gs, "")
  return literal === literal.toLowerCase() && /\p{L}/u.test(literal)
}
