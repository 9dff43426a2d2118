/** Reads the tokens of a jq program. */
import { JsonError, unescape } from "./JsonParser.ts"
import { SyntaxFailure } from "./Syntax.ts"

export type Token =
  | {
    readonly _tag: "Name" | "Field" | "Variable" | "Format" | "Number" | "Operator"
    readonly text: string
    readonly line: number
  }
  /** A string: texts, and the tokens of interpolations. */
  | {
    readonly _tag: "String"
    readonly parts: ReadonlyArray<string | ReadonlyArray<Token>>
    readonly line: number
    readonly text: string
  }

const patterns: ReadonlyArray<readonly [Exclude<Token["_tag"], "String">, RegExp]> = [
  ["Number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["Field", /\.[a-zA-Z_]\w*/y],
  ["Variable", /\$(?:[a-zA-Z_]\w*::)*[a-zA-Z_]\w*/y],
  ["Format", /@\w+/y],
  ["Name", /(?:[a-zA-Z_]\w*::)*[a-zA-Z_]\w*/y],
  ["Operator", /\?\/\/=?|\/\/=|!=|==|\|=|\+=|-=|\*=|\/=|%=|<=|>=|\.\.|\/\/|[.?=;,:|+\-*/%$<>[\]{}()]/y],
]

const closers: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" }

const maxDepth = 1_000

class Lexer {
  readonly #source: string
  #at = 0
  #line = 1
  #depth = 0

  constructor(source: string) {
    this.#source = source
  }

  #skip(): void {
    const blank = /(?:[ \t\r\n]+|#(?:\\(?:\r?\n|[^])|[^\\\n])*)*/y
    blank.lastIndex = this.#at
    const text = blank.exec(this.#source)?.[0] ?? ""
    this.#advance(text)
  }

  #advance(text: string): void {
    this.#at += text.length
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#line++
  }

  #fail(message: string): never {
    throw new SyntaxFailure(message, this.#line)
  }

  /** Reads to the end, or to the parenthesis that closes an interpolation. */
  read(isInterpolation: boolean): Array<Token> {
    if (++this.#depth > maxDepth) this.#fail("too many nested interpolations")
    const tokens: Array<Token> = []
    const open: Array<string> = []
    for (;;) {
      this.#skip()
      const line = this.#line
      const letter = this.#source[this.#at]
      if (letter === undefined) {
        if (isInterpolation) this.#fail("syntax error, unexpected end of file (Unix shell quoting issues?)")
        return tokens
      }
      if (letter === '"') {
        tokens.push({ _tag: "String", parts: this.#string(), line, text: '"' })
        continue
      }
      const token = this.#token(line)
      const closer = closers[token.text]
      if (token._tag === "Operator") {
        if (closer !== undefined) open.push(closer)
        else if (/^[)\]}]$/.test(token.text)) {
          if (open.length === 0 && isInterpolation && token.text === ")") {
            this.#depth--
            return tokens
          }
          if (open.pop() !== token.text) {
            this.#fail("syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?)")
          }
        }
      }
      tokens.push(token)
    }
  }

  #token(line: number): Token {
    for (const [_tag, pattern] of patterns) {
      pattern.lastIndex = this.#at
      const text = pattern.exec(this.#source)?.[0]
      if (text === undefined) continue
      this.#advance(text)
      return { _tag, text: _tag === "Field" || _tag === "Variable" || _tag === "Format" ? text.slice(1) : text, line }
    }
    return this.#fail("syntax error, unexpected INVALID_CHARACTER (Unix shell quoting issues?)")
  }

  #string(): Array<string | ReadonlyArray<Token>> {
    this.#advance('"')
    const parts: Array<string | ReadonlyArray<Token>> = []
    const plain = /(?:[^"\\]|\\[^(])*/y
    for (;;) {
      plain.lastIndex = this.#at
      const raw = plain.exec(this.#source)?.[0] ?? ""
      this.#advance(raw)
      if (raw !== "") parts.push(this.#unescape(raw))
      const letter = this.#source[this.#at]
      if (letter === undefined) this.#fail("syntax error, unexpected end of file (Unix shell quoting issues?)")
      this.#advance(letter === '"' ? letter : "\\(")
      if (letter === '"') return parts
      parts.push(this.read(true))
    }
  }

  #unescape(raw: string): string {
    try {
      return unescape(raw)
    } catch (cause) {
      if (cause instanceof JsonError) {
        this.#fail(`${cause.message} at line 1, column ${raw.length + 1} (while parsing '"${raw}"')`)
      }
      throw cause
    }
  }
}

/** Reads all tokens. Throws `SyntaxFailure`. */
export const tokenize = (source: string): ReadonlyArray<Token> => new Lexer(source).read(false)
