/** Parses an awk program: its rules, functions and statements. */
import { ExpressionParser } from "./ExpressionParser.ts"
import type { AwkProgram, Case, Expression, FunctionDefinition, Redirection, Rule, Statement } from "./Syntax.ts"

/** Maximum nesting of statements: each takes some frames of the stack. */
const maxDepth = 200

class ProgramParser extends ExpressionParser {
  readonly #begin: Array<Statement> = []
  readonly #end: Array<Statement> = []
  readonly #rules: Array<Rule> = []
  readonly #functions = new Map<string, FunctionDefinition>()
  #statementDepth = 0

  program(): AwkProgram {
    for (this.#skipTerminators(); this.token.kind !== "end"; this.#skipTerminators()) this.#item()
    return { begin: this.#begin, rules: this.#rules, end: this.#end, functions: this.#functions }
  }

  #skipTerminators(): void {
    while (this.token.kind === "newline" || this.isSign(";")) this.advance()
  }

  #item(): void {
    if (this.take("function") || this.take("func")) return this.#function()
    if (this.take("BEGIN")) return void this.#begin.push(this.#block())
    if (this.take("END")) return void this.#end.push(this.#block())
    let pattern: Expression | undefined
    let to: Expression | undefined
    if (!this.isSign("{")) {
      pattern = this.expression()
      if (this.take(",")) {
        this.skipNewlines()
        to = this.expression()
      }
    }
    const body = this.isSign("{") ? this.#block() : undefined
    this.#rules.push({ pattern, to, body })
  }

  #function(): void {
    const { kind, line, text: name } = this.token
    if (kind !== "name" && kind !== "call") this.failHere()
    if (this.#functions.has(name)) this.lexer.fail(`function ${name} is defined twice`, line)
    this.advance()
    this.expect("(")
    const params: Array<string> = []
    this.skipNewlines()
    while (!this.isSign(")")) {
      params.push(this.expectName())
      this.skipNewlines()
      if (!this.take(",")) break
      this.skipNewlines()
    }
    this.expect(")")
    this.skipNewlines()
    this.#functions.set(name, { name, params, body: this.#block() })
  }

  #block(): Statement {
    this.expect("{")
    const body: Array<Statement> = []
    for (this.#skipTerminators(); !this.isSign("}"); this.#skipTerminators()) body.push(this.#statement())
    this.advance()
    return { _tag: "Block", body }
  }

  /** The body of a loop or a condition: a block, a statement, or nothing. */
  #body(): Statement {
    this.skipNewlines()
    if (!this.take(";")) return this.#statement()
    return { _tag: "Block", body: [] }
  }

  #endStatement(): void {
    if (this.isSign("}") || this.token.kind === "end") return
    if (this.token.kind !== "newline" && !this.isSign(";")) this.failHere()
    this.advance()
  }

  #statement(): Statement {
    if (++this.#statementDepth > maxDepth) this.lexer.fail("statements are nested too deep")
    const statement = this.#unbounded()
    this.#statementDepth--
    return statement
  }

  #unbounded(): Statement {
    if (this.isSign("{")) return this.#block()
    if (this.take("if")) return this.#if()
    if (this.take("while")) {
      const test = this.#condition()
      return { _tag: "While", test, body: this.#body() }
    }
    if (this.take("do")) {
      const body = this.#body()
      this.#skipTerminators()
      this.expect("while")
      const test = this.#condition()
      this.#endStatement()
      return { _tag: "Do", test, body }
    }
    if (this.take("for")) return this.#for()
    if (this.take("switch")) return this.#switch()
    const statement = this.#simple()
    this.#endStatement()
    return statement
  }

  #condition(): Expression {
    this.expect("(")
    this.skipNewlines()
    const test = this.expression()
    this.skipNewlines()
    this.expect(")")
    return test
  }

  #if(): Statement {
    const test = this.#condition()
    const then = this.#body()
    this.#skipTerminators()
    return { _tag: "If", test, then, otherwise: this.take("else") ? this.#body() : undefined }
  }

  #for(): Statement {
    this.expect("(")
    this.skipNewlines()
    const init = this.isSign(";") ? undefined : this.#simple({ in: true })
    if (init?._tag === "Expression" && init.expression._tag === "Variable" && this.take("in")) {
      const table = this.variable()
      this.expect(")")
      return { _tag: "ForIn", target: init.expression, table, body: this.#body() }
    }
    this.expect(";")
    this.skipNewlines()
    const test = this.isSign(";") ? undefined : this.expression()
    this.expect(";")
    this.skipNewlines()
    const step = this.isSign(")") ? undefined : this.#simple()
    this.skipNewlines()
    this.expect(")")
    return { _tag: "For", init, test, step, body: this.#body() }
  }

  #switch(): Statement {
    const value = this.#condition()
    this.skipNewlines()
    this.expect("{")
    const cases: Array<Case> = []
    for (this.#skipTerminators(); !this.take("}"); this.#skipTerminators()) {
      const isDefault = this.take("default")
      if (!isDefault) this.expect("case")
      const label = isDefault ? undefined : this.concatenation()
      this.expect(":")
      const body: Array<Statement> = []
      for (this.#skipTerminators(); !this.#endsCase(); this.#skipTerminators()) body.push(this.#statement())
      cases.push({ value: label, body })
    }
    return { _tag: "Switch", value, cases }
  }

  #endsCase(): boolean {
    return this.isKeyword("case") || this.isKeyword("default") || this.isSign("}")
  }

  #optionalValue(): Expression | undefined {
    return this.#isAtEnd() ? undefined : this.expression()
  }

  #simple(excluded: { readonly in?: boolean } = {}): Statement {
    if (this.isKeyword("print") || this.isKeyword("printf")) return this.#print()
    if (this.take("next")) return { _tag: "Next" }
    if (this.take("nextfile")) return { _tag: "NextFile" }
    if (this.take("break")) return { _tag: "Break" }
    if (this.take("continue")) return { _tag: "Continue" }
    if (this.take("exit")) return { _tag: "Exit", value: this.#optionalValue() }
    if (this.take("return")) return { _tag: "Return", value: this.#optionalValue() }
    if (this.take("delete")) {
      const place = this.variable()
      return place._tag === "Element"
        ? { _tag: "Delete", table: place.table, keys: place.keys }
        : { _tag: "Delete", table: place, keys: undefined }
    }
    return { _tag: "Expression", expression: this.expression(excluded) }
  }

  #print(): Statement {
    const _tag = this.advance().text === "print" ? "Print" : "Printf"
    const args: Array<Expression> = []
    if (!(this.#isAtEnd() || this.isSign(">", ">>", "|"))) {
      for (;;) {
        args.push(this.expression({ greater: true }))
        if (!this.take(",")) break
        this.skipNewlines()
      }
    }
    const [only] = args
    const list = args.length === 1 && only?._tag === "Group" ? only.parts : args
    if (_tag === "Printf" && list.length === 0) this.failHere()
    return { _tag, args: list, redirection: this.#redirection() }
  }

  #isAtEnd(): boolean {
    return this.token.kind === "newline" || this.token.kind === "end" || this.isSign(";", "}")
  }

  #redirection(): Redirection | undefined {
    const { text } = this.token
    if (!this.isSign(">", ">>", "|") || (text !== ">" && text !== ">>" && text !== "|")) return undefined
    this.advance()
    return { to: text, target: this.concatenation() }
  }
}

/** Parses the text of a program. Throws the utility's exit for a wrong one. */
export const parseProgram = (source: string): AwkProgram => new ProgramParser(source).program()
