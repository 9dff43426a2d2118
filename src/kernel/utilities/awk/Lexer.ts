/** Splits the text of an awk program into tokens. A regular expression is read when the parser expects one. */
import { textToBinary } from "../../binaryString.ts"
import { UtilityExit } from "../shared/UtilityExit.ts"

export type TokenKind = "number" | "text" | "name" | "call" | "builtin" | "keyword" | "sign" | "newline" | "end"

export interface Token {
  readonly kind: TokenKind
  /** A sign or a word; the value of a text as a binary string. */
  readonly text: string
  /** Index of its first character. */
  readonly at: number
  readonly line: number
}

const keywords = new Set(
  ("BEGIN END function func if else while for do in next nextfile exit return break continue delete switch case " +
    "default print printf getline").split(" "),
)

const builtinNames: ReadonlySet<string> = new Set(
  ("length substr index split sub gsub gensub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper " +
    "system close fflush strftime systime mktime asort asorti and or xor lshift rshift compl strtonum typeof isarray " +
    "patsplit").split(" "),
)

const signs = (
  "**= ** += -= *= /= %= ^= == <= >= != && || ++ -- !~ |& >> ~ ! + - * / % ^ < > = ? : , ; ( ) { } [ ] $ |"
).split(" ")

const escapes: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" },
  ...{ "\\": "\\", '"': '"', "/": "/" },
}

/** An escape of a text at a backslash: its value and its end. Unknown escapes stand for their letter, as in gawk. */
const readEscape = (source: string, at: number): readonly [value: string, end: number] => {
  const octal = /^[0-7]{1,3}/.exec(source.slice(at + 1, at + 4))?.[0]
  if (octal !== undefined) return [String.fromCharCode(parseInt(octal, 8) & 255), at + 1 + octal.length]
  const hex = /^x([0-9a-fA-F]{1,2})/.exec(source.slice(at + 1, at + 4))
  if (hex !== null) return [String.fromCharCode(parseInt(hex[1] ?? "0", 16)), at + 1 + hex[0].length]
  const letter = source[at + 1] ?? ""
  if (letter === "\n") return ["", at + 2]
  return [escapes[letter] ?? letter, at + 2]
}

/** Replaces the escapes of a text, as in a string of a program, of a binary string: for `-v` and assignments as operands. */
export const unescape = (text: string): string => {
  let out = ""
  for (let at = 0; at < text.length;) {
    const next = text.indexOf("\\", at)
    if (next < 0 || next + 1 >= text.length) return out + text.slice(at)
    const [value, end] = readEscape(text, next)
    out += text.slice(at, next) + value
    at = end
  }
  return out
}

export class Lexer {
  readonly #source: string
  #at = 0
  line = 1

  /** The source is a binary string. */
  constructor(source: string) {
    this.#source = textToBinary(source)
  }

  fail(message: string, line: number = this.line): never {
    throw new UtilityExit(1, `line ${line}: ${message}`)
  }

  #skipBlanks(): void {
    for (;;) {
      const letter = this.#source[this.#at]
      if (letter === " " || letter === "\t" || letter === "\r") this.#at++
      else if (letter === "#") {
        const end = this.#source.indexOf("\n", this.#at)
        this.#at = end < 0 ? this.#source.length : end
      } else if (letter === "\\" && /^\\\r?\n/.test(this.#source.slice(this.#at, this.#at + 3))) {
        this.#at = this.#source.indexOf("\n", this.#at) + 1
        this.line++
      } else return
    }
  }

  next(): Token {
    this.#skipBlanks()
    const at = this.#at
    const { line } = this
    const make = (kind: TokenKind, text: string, length: number): Token => {
      this.#at = at + length
      return { kind, text, at, line }
    }
    const letter = this.#source[at]
    if (letter === undefined) return make("end", "end of program", 0)
    if (letter === "\n") {
      this.line++
      return make("newline", "\n", 1)
    }
    if (letter === '"') return this.#text(at, line)
    const rest = this.#source.slice(at, at + 256)
    const number = /^(?:0[xX][0-9a-fA-F]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)/.exec(rest)?.[0]
    if (number !== undefined) return make("number", number, number.length)
    const word = /^[A-Za-z_]\w*/.exec(rest)?.[0]
    if (word !== undefined) {
      const isCall = this.#source[at + word.length] === "("
      const kind = keywords.has(word) ? "keyword" : builtinNames.has(word) ? "builtin" : isCall ? "call" : "name"
      return make(kind, word, word.length)
    }
    const sign = signs.find((candidate) => rest.startsWith(candidate))
    if (sign === undefined) return this.fail(`syntax error: unexpected character '${letter}'`)
    return make("sign", sign, sign.length)
  }

  #text(start: number, line: number): Token {
    let text = ""
    for (let at = start + 1;;) {
      const letter = this.#source[at]
      if (letter === undefined || letter === "\n") return this.fail("unterminated string", line)
      if (letter === '"') {
        this.#at = at + 1
        return { kind: "text", text, at: start, line }
      }
      if (letter === "\\") {
        const [value, end] = readEscape(this.#source, at)
        if (this.#source[at + 1] === "\n") this.line++
        text += value
        at = end
      } else {
        text += letter
        at++
      }
    }
  }

  /** Reads a regular expression whose first slash is at `start`. */
  regex(start: number): string {
    let isInBracket = false
    for (let at = start + 1; at < this.#source.length; at++) {
      const letter = this.#source[at]
      if (letter === "\n") break
      if (letter === "\\") at++
      else if (letter === "[" && !isInBracket) {
        isInBracket = true
        // A bracket right after the opening one, or after its `^`, is one of the characters.
        if (this.#source[at + 1] === "^") at++
        if (this.#source[at + 1] === "]") at++
      } else if (letter === "[" && this.#source[at + 1] === ":") {
        const end = this.#source.indexOf(":]", at + 2)
        if (end > 0) at = end + 1
      } else if (letter === "]") isInBracket = false
      else if (letter === "/" && !isInBracket) {
        this.#at = at + 1
        return this.#source.slice(start + 1, at)
      }
    }
    return this.fail("unterminated regular expression")
  }
}
