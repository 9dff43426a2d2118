/** Compiles the regular expressions of awk, which have more escapes than those of POSIX, and caches those of texts. */
import { binaryToText } from "../../binaryString.ts"
import { Regex } from "../../regex/Regex.ts"

/** Maximum number of cached expressions of texts. */
const maxKept = 200

const controls: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", "/": "/", '"': '"', "&": "&" },
}
/** Escapes of gawk that are operators of the engine: `\y` is the edge of a word. */
const operators: Readonly<Record<string, string>> = { y: "\\b", B: "\\B" }
const special = /[.[\]\\()*+?{}|^$]/

const octalOrHex = (source: string, at: number): readonly [letter: string, length: number] | undefined => {
  const octal = /^[0-7]{1,3}/.exec(source.slice(at, at + 3))?.[0]
  // A single digit is an octal number, too, because awk has no back references.
  if (octal !== undefined) return [String.fromCodePoint(parseInt(octal, 8)), octal.length]
  const hex = /^x([0-9a-fA-F]{1,2})/.exec(source.slice(at, at + 3))
  return hex === null ? undefined : [String.fromCodePoint(parseInt(hex[1] ?? "0", 16)), hex[0].length]
}

/** Rewrites a bracket expression, in which awk's backslash escapes and POSIX's does not. Returns it and its end. */
const translateBracket = (source: string, start: number): readonly [text: string, end: number] => {
  let at = start + 1
  const negation = source[at] === "^" ? "^" : ""
  if (negation !== "") at++
  let members = ""
  let quoted = ""
  for (let first = true; at < source.length; first = false) {
    const letter = source[at] ?? ""
    if (letter === "]" && !first) {
      // A closing bracket must come first, a caret not first, a minus last.
      const bracket = quoted.includes("]") ? "]" : ""
      const caret = quoted.includes("^") ? "^" : ""
      const minus = quoted.includes("-") ? "-" : ""
      const body = bracket + members
      if (body === "" && caret !== "" && negation === "") return [minus === "" ? "\\^" : "[-^]", at + 1]
      return [`[${negation}${body}${caret}${minus}]`, at + 1]
    }
    if (letter === "]") {
      quoted += "]"
      at++
    } else if (letter === "[" && /[:.=]/.test(source[at + 1] ?? "")) {
      const close = source.indexOf(`${source[at + 1]}]`, at + 2)
      const end = close < 0 ? source.length : close + 2
      members += source.slice(at, end)
      at = end
    } else if (letter === "\\" && at + 1 < source.length) {
      const next = source[at + 1] ?? ""
      const numeric = octalOrHex(source, at + 1)
      const value = numeric?.[0] ?? controls[next] ?? next
      if ("]^-".includes(value)) quoted += value
      else members += value
      at += 1 + (numeric?.[1] ?? 1)
    } else {
      members += letter
      at++
    }
  }
  return [source.slice(start), source.length]
}

/** Rewrites an expression of awk as an extended one of POSIX with GNU's operators. */
const translateRegex = (source: string): string => {
  let out = ""
  for (let at = 0; at < source.length;) {
    const letter = source[at] ?? ""
    if (letter === "[") {
      const [text, end] = translateBracket(source, at)
      out += text
      at = end
    } else if (letter !== "\\") {
      out += letter
      at++
    } else if (at + 1 === source.length) {
      out += "\\\\"
      at++
    } else {
      const next = source[at + 1] ?? ""
      const numeric = octalOrHex(source, at + 1)
      const value = numeric?.[0] ?? controls[next]
      if (value !== undefined) out += special.test(value) ? `\\${value}` : value
      else out += operators[next] ?? (/[wWsS<>`'.[\]\\()*+?{}|^$]/.test(next) ? `\\${next}` : next)
      at += 1 + (numeric?.[1] ?? 1)
    }
  }
  return out
}

export class AwkRegexes {
  readonly #utf8: boolean
  readonly #kept = new Map<string, Regex>()

  constructor(utf8: boolean) {
    this.#utf8 = utf8
  }

  /** Compiles a binary string. Throws `RegexError`. */
  /** Whether an expression is already compiled. */
  has(source: string): boolean {
    return this.#kept.has(source)
  }

  get(source: string): Regex {
    const known = this.#kept.get(source)
    if (known !== undefined) return known
    const regex = new Regex([translateRegex(binaryToText(source))], { extended: true, utf8: this.#utf8 })
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(source, regex)
    return regex
  }
}
