/** Parses programs of `bc`. Source: POSIX.1-2024 "bc"; bc(1) of GNU. */

import type { Coroutine } from "../../Coroutine.ts"

export type BcNode =
  | { readonly _tag: "Number"; readonly text: string }
  | { readonly _tag: "Name"; readonly name: string }
  | { readonly _tag: "Element"; readonly name: string; readonly index: BcNode }
  | { readonly _tag: "Call"; readonly name: string; readonly args: ReadonlyArray<BcNode> }
  | { readonly _tag: "Unary"; readonly sign: string; readonly of: BcNode }
  | { readonly _tag: "Binary"; readonly sign: string; readonly left: BcNode; readonly right: BcNode }
  | { readonly _tag: "Assign"; readonly sign: string; readonly to: BcNode; readonly value: BcNode }
  | { readonly _tag: "Step"; readonly by: 1 | -1; readonly isBefore: boolean; readonly to: BcNode }

export type BcStatement =
  | { readonly _tag: "Expression"; readonly of: BcNode; readonly isShown: boolean }
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Print"; readonly parts: ReadonlyArray<string | BcNode> }
  | { readonly _tag: "Block"; readonly of: ReadonlyArray<BcStatement> }
  | {
    readonly _tag: "If"
    readonly test: BcNode
    readonly then: BcStatement
    readonly otherwise: BcStatement | undefined
  }
  | {
    readonly _tag: "Loop"
    readonly start: BcNode | undefined
    readonly test: BcNode | undefined
    readonly step: BcNode | undefined
    readonly body: BcStatement
  }
  | { readonly _tag: "Jump"; readonly kind: "break" | "continue" | "quit" }
  | { readonly _tag: "Return"; readonly value: BcNode | undefined }
  | { readonly _tag: "Define"; readonly function: BcFunction }

export interface BcFunction {
  readonly name: string
  readonly parameters: ReadonlyArray<string>
  readonly locals: ReadonlyArray<string>
  readonly body: ReadonlyArray<BcStatement>
}

export class BcSyntaxError extends Error {
  readonly line: number
  constructor(line: number) {
    super("syntax error")
    this.line = line
  }
}

const tokenPattern =
  /\s*?(?:(\n|;)|[ \t]+|\\\n|\/\*[^]*?\*\/|#[^\n]*|"([^"]*)"|([0-9A-F]*\.?[0-9A-F]+|[0-9A-F]+\.?)|([a-z][a-z0-9_]*)|(\+\+|--|[-+*/%^<>=!]=|&&|\|\||[-+*/%^<>=!(){}[\],.]))/gy

export interface Token {
  readonly kind: "end" | "text" | "number" | "name" | "sign"
  readonly text: string
  readonly line: number
}

const maxDepth = 200
const assignments = ["=", "+=", "-=", "*=", "/=", "%=", "^="]

/** The tokens of a program, for `BcParser`. Throws `BcSyntaxError`. */
export function* tokenize(program: string): Coroutine<ReadonlyArray<Token>> {
  const text = program.endsWith("\n") ? program : `${program}\n`
  const tokens: Array<Token> = []
  let line = 1
  for (let at = 0; at < text.length;) {
    tokenPattern.lastIndex = at
    const match = tokenPattern.exec(text)
    if (match === null) throw new BcSyntaxError(line)
    const [all, end, string, number, name, sign] = match
    const kind = end !== undefined
      ? "end"
      : string !== undefined
      ? "text"
      : number !== undefined
      ? "number"
      : name !== undefined
      ? "name"
      : "sign"
    const value = end ?? string ?? number ?? name ?? sign
    if (value !== undefined) tokens.push({ kind, line, text: value })
    line += all.split("\n").length - 1
    at = tokenPattern.lastIndex
    if (tokens.length % 1_024 === 0) yield
  }
  return tokens
}

export class BcParser {
  readonly #tokens: ReadonlyArray<Token>
  #at = 0
  #depth = 0

  constructor(tokens: ReadonlyArray<Token>) {
    this.#tokens = tokens
  }

  /** The next statement; `undefined` at the end. */
  next(): BcStatement | undefined {
    this.#skipEnds()
    return this.#at >= this.#tokens.length ? undefined : this.#terminated()
  }

  /** Skips the rest of a line with an error. */
  skipLine(): void {
    while (this.#at < this.#tokens.length && this.#tokens[this.#at]?.text !== "\n") this.#at++
  }

  get #line(): number {
    return this.#tokens[this.#at]?.line ?? this.#tokens.at(-1)?.line ?? 1
  }

  #fail(): never {
    throw new BcSyntaxError(this.#line)
  }

  #peek(...texts: ReadonlyArray<string>): boolean {
    const token = this.#tokens[this.#at]
    return token !== undefined && token.kind !== "text" && texts.includes(token.text)
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false
    this.#at++
    return true
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#fail()
  }

  #takeKind(kind: Token["kind"]): string | undefined {
    const token = this.#tokens[this.#at]
    if (token?.kind !== kind) return undefined
    this.#at++
    return token.text
  }

  #skipEnds(): void {
    while (this.#tokens[this.#at]?.kind === "end") this.#at++
  }

  #skipLines(): void {
    while (this.#peek("\n")) this.#at++
  }

  #terminated(): BcStatement {
    const statement = this.#statement()
    const isClosed = this.#tokens[this.#at - 1]?.text === "}"
    if (!isClosed && this.#tokens[this.#at]?.kind !== "end" && !this.#peek("}")) this.#fail()
    return statement
  }

  #statement(): BcStatement {
    if (++this.#depth > maxDepth) this.#fail()
    try {
      return this.#parseStatement()
    } finally {
      this.#depth--
    }
  }

  #parseStatement(): BcStatement {
    const text = this.#takeKind("text")
    if (text !== undefined) return { _tag: "Text", text }
    if (this.#peek("{")) return { _tag: "Block", of: this.#block() }
    const word = this.#tokens[this.#at]
    if (word?.kind === "name") {
      const jump = (["break", "continue", "quit"] as const).find((kind) => kind === word.text)
      if (jump !== undefined) {
        this.#at++
        return { _tag: "Jump", kind: jump }
      }
      if (word.text === "halt") {
        this.#at++
        return { _tag: "Jump", kind: "quit" }
      }
      if (this.#take("if")) return this.#if()
      if (this.#take("while")) {
        this.#expect("(")
        const test = this.#expression()
        this.#expect(")")
        this.#skipLines()
        return { _tag: "Loop", body: this.#statement(), start: undefined, step: undefined, test }
      }
      if (this.#take("for")) return this.#for()
      if (this.#take("return")) {
        const isEmpty = this.#tokens[this.#at]?.kind === "end" || this.#peek("}")
        return { _tag: "Return", value: isEmpty ? undefined : this.#expression() }
      }
      if (this.#take("define")) return { _tag: "Define", function: this.#function() }
      if (this.#take("print")) {
        const parts: Array<string | BcNode> = []
        do parts.push(this.#takeKind("text") ?? this.#expression())
        while (this.#take(","))
        return { _tag: "Print", parts }
      }
    }
    const of = this.#expression()
    return { _tag: "Expression", isShown: of._tag !== "Assign", of }
  }

  #block(): ReadonlyArray<BcStatement> {
    this.#expect("{")
    const of: Array<BcStatement> = []
    for (this.#skipEnds(); !this.#take("}"); this.#skipEnds()) of.push(this.#terminated())
    return of
  }

  #if(): BcStatement {
    this.#expect("(")
    const test = this.#expression()
    this.#expect(")")
    this.#skipLines()
    const then = this.#statement()
    const at = this.#at
    this.#skipEnds()
    if (!this.#take("else")) {
      this.#at = at
      return { _tag: "If", otherwise: undefined, test, then }
    }
    this.#skipLines()
    return { _tag: "If", otherwise: this.#statement(), test, then }
  }

  #for(): BcStatement {
    this.#expect("(")
    const part = (end: string): BcNode | undefined => {
      const node = this.#peek(end) ? undefined : this.#expression()
      this.#expect(end)
      return node
    }
    const [start, test, step] = [part(";"), part(";"), part(")")]
    this.#skipLines()
    return { _tag: "Loop", body: this.#statement(), start, step, test }
  }

  #names(): ReadonlyArray<string> {
    const names: Array<string> = []
    do {
      const name = this.#takeKind("name") ?? this.#fail()
      names.push(this.#take("[") ? `${name}[]` : name)
      if (names.at(-1)?.endsWith("[]")) this.#expect("]")
    } while (this.#take(","))
    return names
  }

  #function(): BcFunction {
    const name = this.#takeKind("name") ?? this.#fail()
    this.#expect("(")
    const parameters = this.#peek(")") ? [] : this.#names()
    this.#expect(")")
    this.#skipLines()
    const start = this.#at
    this.#expect("{")
    this.#skipEnds()
    const locals = this.#take("auto") ? this.#names() : []
    if (locals.length === 0) this.#at = start
    const body: Array<BcStatement> = []
    if (locals.length === 0) { for (const statement of this.#block()) body.push(statement) }
    else for (this.#skipEnds(); !this.#take("}"); this.#skipEnds()) body.push(this.#terminated())
    return { body, locals, name, parameters }
  }

  #expression(): BcNode {
    if (++this.#depth > maxDepth) this.#fail()
    const node = this.#binary(0)
    this.#depth--
    return node
  }

  /** Operators from the weakest on; assignment is between comparison and addition. */
  static readonly #levels = [["||"], ["&&"], ["!"], ["==", "<=", ">=", "!=", "<", ">"], ["="], ["+", "-"], [
    "*",
    "/",
    "%",
  ]]

  #binary(level: number): BcNode {
    const signs = BcParser.#levels[level]
    if (signs === undefined) return this.#power()
    if (signs[0] === "!") {
      return this.#take("!") ? { _tag: "Unary", sign: "!", of: this.#binary(level) } : this.#binary(level + 1)
    }
    if (signs[0] === "=") return this.#assignment(level)
    let left = this.#binary(level + 1)
    while (this.#peek(...signs)) {
      const sign = this.#tokens[this.#at++]?.text ?? ""
      left = { _tag: "Binary", left, right: this.#binary(level + 1), sign }
    }
    return left
  }

  #assignment(level: number): BcNode {
    const left = this.#binary(level + 1)
    if (!this.#peek(...assignments) || (left._tag !== "Name" && left._tag !== "Element")) return left
    const sign = this.#tokens[this.#at++]?.text ?? ""
    if (++this.#depth > maxDepth) this.#fail()
    const value = this.#assignment(level)
    this.#depth--
    return { _tag: "Assign", sign: sign.slice(0, -1), to: left, value }
  }

  #power(): BcNode {
    const left = this.#unary()
    if (!this.#take("^")) return left
    if (++this.#depth > maxDepth) this.#fail()
    const right = this.#power()
    this.#depth--
    return { _tag: "Binary", left, right, sign: "^" }
  }

  #unary(): BcNode {
    if (this.#take("-")) {
      if (++this.#depth > maxDepth) this.#fail()
      const of = this.#unary()
      this.#depth--
      return { _tag: "Unary", sign: "-", of }
    }
    for (const [sign, by] of [["++", 1], ["--", -1]] as const) {
      if (this.#take(sign)) return { _tag: "Step", by, isBefore: true, to: this.#primary() }
    }
    const of = this.#primary()
    if (this.#take("++")) return { _tag: "Step", by: 1, isBefore: false, to: of }
    return this.#take("--") ? { _tag: "Step", by: -1, isBefore: false, to: of } : of
  }

  #primary(): BcNode {
    const number = this.#takeKind("number")
    if (number !== undefined) return { _tag: "Number", text: number }
    if (this.#take("(")) {
      const of = this.#expression()
      this.#expect(")")
      // Parentheses show the value of an assignment.
      return of._tag === "Assign" ? { _tag: "Unary", sign: "+", of } : of
    }
    if (this.#take(".")) return { _tag: "Name", name: "last" }
    const name = this.#takeKind("name") ?? this.#fail()
    if (this.#take("[")) {
      if (this.#take("]")) return { _tag: "Name", name: `${name}[]` }
      const index = this.#expression()
      this.#expect("]")
      return { _tag: "Element", index, name }
    }
    if (!this.#take("(")) return { _tag: "Name", name }
    const args: Array<BcNode> = []
    if (!this.#peek(")")) {
      do args.push(this.#expression())
      while (this.#take(","))
    }
    this.#expect(")")
    return { _tag: "Call", args, name }
  }
}
