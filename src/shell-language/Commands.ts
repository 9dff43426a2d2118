/**
 * Commands, pipelines and lists.
 *
 * Source: POSIX.1-2024 XCU 2.10 "Shell Grammar"; bash(1) "SHELL GRAMMAR".
 *
 * @module
 */
import { Conditions } from "./Conditions.ts"
import { isRedirection } from "./Reader.ts"
import type {
  AndOr,
  ArithmeticText,
  ArrayElement,
  ArrayLiteral,
  Assignment,
  CaseClause,
  Command,
  CompoundCommand,
  FunctionDefinition,
  IfBranch,
  List,
  Pipeline,
  Script,
  SimpleCommand,
  Subscript,
  Word,
  WordPart,
} from "./Tree.ts"
import { modes, tildes } from "./Words.ts"

type Distribute<T> = T extends CompoundCommand ? Omit<T, "redirects" | "span"> : never
type Body = Distribute<CompoundCommand>

const closers = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}"])
const openers = new Set(["if", "while", "until", "for", "select", "case", "{", "[["])
const declaring = new Set(["declare", "typeset", "local", "export", "readonly", "eval", "let", "alias"])
const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The text of a word that is all plain text. */
const plain = (word: Word): string | undefined => {
  const [first, ...rest] = word.parts
  return first?._tag === "Literal" && rest.length === 0 ? first.value : undefined
}

/** The whole language. */
export class Commands extends Conditions {
  protected within(text: string, place: (offset: number) => number): Commands {
    return new Commands(this.source, text, place)
  }

  script(): Script {
    const statements = this.statements()
    if (this.operator() !== "" || this.peek() !== "") throw this.error("a command")
    return { _tag: "Script", statements, span: this.span(0) }
  }

  /** The statements of the next line that has any, here-documents included; `undefined` at the end. */
  line(): Script | undefined {
    this.newlines()
    if (this.peek() === "") return undefined
    const start = this.pos
    const statements: Array<AndOr> = []
    do {
      statements.push(this.andOr())
    } while (this.separated && !this.newline() && this.peek() !== "")
    const span = this.span(start)
    if (!this.separated && !this.newline() && this.peek() !== "") throw this.error("the end of the command")
    return { _tag: "Script", statements, span }
  }

  protected substituted(opened: number): Script {
    this.enter()
    const start = this.pos
    const awaited = this.awaited
    this.awaited = []
    const statements = this.statements()
    const span = this.span(start)
    if (this.operator() === "" && this.peek() === "") throw this.unclosed(")", opened)
    this.expect(")", "or a command")
    this.awaited = awaited
    this.leave()
    return { _tag: "Script", statements, span }
  }

  /** Whether the last statement ended with `;` or `&`. */
  private separated = false

  private statements(): Array<AndOr> {
    const statements: Array<AndOr> = []
    for (this.newlines(); !this.closing(); this.newlines()) {
      statements.push(this.andOr())
      if (!this.separated && this.operator() !== "\n") break
    }
    return statements
  }

  /** Nothing that begins a command stands here: the list ends. */
  private closing(): boolean {
    const operator = this.operator()
    return operator === "" ? this.peek() === "" || closers.has(this.reserved()) : /^(\)|;.)/.test(operator)
  }

  private list(of: string, mayBeEmpty = false): List {
    this.newlines()
    const start = this.pos
    const statements = this.statements()
    if (statements.length === 0 && !mayBeEmpty) throw this.error(`a command ${of}`)
    return { _tag: "List", statements, span: this.span(start, statements.length === 0 ? start : this.ended) }
  }

  /** Where the last statement ended. */
  private ended = 0

  private andOr(): AndOr {
    this.blanks()
    const start = this.pos
    const pipelines = [this.pipeline()]
    const operators: Array<"&&" | "||"> = []
    for (;;) {
      const operator = this.operator()
      if (operator !== "&&" && operator !== "||") break
      this.take(operator)
      this.newlines()
      operators.push(operator)
      pipelines.push(this.pipeline())
    }
    const span = this.span(start, this.ended)
    const background = this.take("&")
    this.separated = background || this.take(";")
    if (this.separated) this.ended = this.pos
    return { _tag: "AndOr", pipelines, operators, background, span: background ? this.span(start) : span }
  }

  private pipeline(): Pipeline {
    this.blanks()
    const start = this.pos
    let negated = false
    let time: Pipeline["time"]
    for (;;) {
      if (this.takeReserved("!")) negated = !negated
      else if (this.takeReserved("time")) {
        time = this.option("-p") ? "posix" : time ?? "default"
        this.option("--")
      } else break
      this.ended = this.pos
    }
    const commands: Array<Command> = []
    const pipes: Array<"|" | "|&"> = []
    // `!` and `time` may stand alone.
    const operator = this.operator()
    const alone = this.pos > start && (/^[;\n]$/.test(operator) || (operator === "" && this.peek() === ""))
    while (!alone) {
      commands.push(this.command())
      const pipe = this.operator()
      if (pipe !== "|" && pipe !== "|&") break
      this.take(pipe)
      this.newlines()
      pipes.push(pipe)
    }
    return { _tag: "Pipeline", negated, time, commands, pipes, span: this.span(start, this.ended) }
  }

  /** Takes an option of `time`. */
  private option(name: string): boolean {
    this.blanks()
    const found = this.text.startsWith(name, this.pos) && /^[\s;&|()<>]?$/.test(this.peek(name.length))
    if (found) this.pos += name.length
    return found
  }

  private command(): Command {
    this.blanks()
    const start = this.pos
    const reserved = this.reserved()
    if (reserved === "function") return this.functionNamed(start)
    if (reserved === "coproc") throw this.error("a command that is supported")
    if (closers.has(reserved) || reserved === "!" || reserved === "in") throw this.error("a command")
    const operator = this.operator()
    if (operator === "(" || openers.has(reserved)) return this.compound(start)
    if (operator !== "" && !isRedirection(operator)) throw this.error("a command")
    return this.simple(start)
  }

  // ---- compound commands

  /** A compound command and its redirections. */
  private compound(start: number): CompoundCommand {
    this.enter()
    const body = this.compoundBody()
    this.leave()
    this.ended = this.pos
    const redirects = this.redirects()
    if (redirects.length > 0) this.ended = this.pos
    return { ...body, redirects, span: this.span(start, this.ended) }
  }

  private compoundBody(): Body {
    if (this.operator() === "(") return this.parenthesized()
    const opened = this.pos
    const reserved = this.reserved()
    this.takeReserved(reserved)
    switch (reserved) {
      case "{": {
        const body = this.list('after "{"')
        this.close("}", opened)
        return { _tag: "Group", body }
      }
      case "if":
        return this.ifBody(opened)
      case "while":
      case "until": {
        const condition = this.list(`after "${reserved}"`)
        return { _tag: "While", until: reserved === "until", condition, body: this.doBody(opened) }
      }
      case "for":
        return this.operator() === "(" ? this.forArithmetic(opened) : this.forBody("For", opened)
      case "select":
        return this.forBody("Select", opened)
      case "case":
        return this.caseBody(opened)
      case "[[": {
        const expression = this.condition()
        this.close("]]", opened)
        return { _tag: "Conditional", expression }
      }
      default:
        throw this.error("a compound command", opened)
    }
  }

  /** A closing word, or the error that it is missing. */
  private close(word: string, opened: number): void {
    this.newlines()
    if (this.takeReserved(word)) return
    throw this.operator() === "" && this.peek() === "" ? this.unclosed(word, opened) : this.error(`"${word}"`)
  }

  private parenthesized(): Body {
    const opened = this.pos
    const text = this.peek(1) === "(" ? this.arithmetic(opened, "((") : undefined
    if (text !== undefined) return { _tag: "ArithmeticCommand", text }
    this.take("(")
    const body = this.list('after "("')
    if (this.operator() === "" && this.peek() === "") throw this.unclosed(")", opened)
    this.expect(")", "or a command")
    return { _tag: "Subshell", body }
  }

  private ifBody(opened: number): Body {
    const branches: Array<IfBranch> = []
    let start = opened
    do {
      const condition = this.list('after "if"')
      this.close("then", opened)
      const body = this.list('after "then"')
      branches.push({ _tag: "IfBranch", condition, body, span: this.span(start, this.ended) })
      this.blanks()
      start = this.pos
    } while (this.takeReserved("elif"))
    const otherwise = this.takeReserved("else") ? this.list('after "else"') : undefined
    this.close("fi", opened)
    return { _tag: "If", branches, otherwise }
  }

  private doBody(opened: number, bracesToo = false): List {
    this.newlines()
    const brace = bracesToo && this.takeReserved("{")
    if (!brace) this.close("do", opened)
    const body = this.list(brace ? 'after "{"' : 'after "do"')
    this.close(brace ? "}" : "done", opened)
    return body
  }

  private forBody(_tag: "For" | "Select", opened: number): Body {
    const before = this.pos
    const name = plain(this.someWord("a name"))
    if (name === undefined || !identifier.test(name)) throw this.error("a name", before)
    let words: Array<Word> | undefined
    let separated = this.take(";")
    const lines = this.operator() === "\n"
    separated ||= lines
    this.newlines()
    if ((!separated || lines) && this.takeReserved("in")) {
      words = []
      for (let word = this.word(); word !== undefined; word = this.word()) words.push(word)
      separated = this.take(";") || this.operator() === "\n"
      if (!separated) throw this.error('";" or a newline after the words')
    }
    return { _tag, name, words, body: this.doBody(opened, separated) }
  }

  private forArithmetic(opened: number): Body {
    this.expect("(", "")
    if (this.peek() !== "(") throw this.error("a name")
    const open = this.pos++
    const clause = (end: string): ArithmeticText | undefined => {
      const text = this.arithmeticText(modes.arithmeticClause)
      if (this.peek() === "") throw this.unclosed("))", open)
      if (!this.text.startsWith(end, this.pos)) throw this.error(`"${end}"`)
      this.pos += end.length
      const blank = text.parts.every((part) => part._tag === "Literal" && part.value.trim() === "")
      return blank ? undefined : text
    }
    const first = clause(";")
    const condition = clause(";")
    const after = clause("))")
    this.take(";")
    return { _tag: "ForArithmetic", first, condition, after, body: this.doBody(opened, true) }
  }

  private caseBody(opened: number): Body {
    const word = this.someWord("a word")
    this.close("in", opened)
    const clauses: Array<CaseClause> = []
    for (this.newlines(); !this.takeReserved("esac"); this.newlines()) {
      if (this.operator() === "" && this.peek() === "") throw this.unclosed("esac", opened)
      const start = this.pos
      this.take("(")
      const patterns: Array<Word> = []
      do {
        patterns.push(this.someWord("a pattern"))
      } while (this.take("|"))
      this.expect(")", "after the pattern")
      const body = this.list("", true)
      const operator = this.operator()
      const terminator = operator === ";&" || operator === ";;&" ? operator : ";;"
      if (!this.take(terminator) && this.reserved() !== "esac") {
        throw this.peek() === "" && operator === "" ? this.unclosed("esac", opened) : this.error('";;" or "esac"')
      }
      clauses.push({ _tag: "CaseClause", patterns, body, terminator, span: this.span(start) })
    }
    return { _tag: "Case", word, clauses }
  }

  // ---- functions

  private functionNamed(start: number): FunctionDefinition {
    this.takeReserved("function")
    const before = this.pos
    const name = plain(this.someWord("a name"))
    if (name === undefined) throw this.error("a name without quotes and expansions", before)
    if (this.operator() === "(") {
      const at = this.pos
      // `function f (a)` has a subshell as its body.
      this.take("(")
      if (!this.take(")")) this.pos = at
    }
    return this.functionBody(start, name)
  }

  private functionBody(start: number, name: string): FunctionDefinition {
    this.newlines()
    const at = this.pos
    if (this.operator() !== "(" && !openers.has(this.reserved())) throw this.error("a compound command")
    const body = this.compound(at)
    return { _tag: "FunctionDefinition", name, body, span: this.span(start, this.ended) }
  }

  // ---- simple commands

  private simple(start: number): Command {
    const assignments: Array<Assignment> = []
    const words: Array<Word> = []
    const redirects: Array<SimpleCommand["redirects"][number]> = []
    let declares = false
    this.ended = start
    for (;; this.ended = this.pos) {
      const redirect = this.redirect()
      if (redirect !== undefined) {
        redirects.push(redirect)
        continue
      }
      if (this.operator() !== "" || this.peek() === "") break
      const found = words.length === 0 || declares ? this.assignment() : this.word()
      if (found === undefined) break
      if (found._tag === "Word") words.push(found)
      else if (words.length === 0) assignments.push(found)
      else {
        const { value, span } = found
        const isWord = value._tag === "Word"
        const head = { start: span.start, end: isWord ? value.span.start : span.end }
        const literal: WordPart = { _tag: "Literal", value: this.source.text.slice(head.start, head.end), span: head }
        const parts = [literal, ...(isWord ? value.parts : [])]
        words.push({ _tag: "Word", parts, braces: false, assignment: found, span })
      }
      if (words.length === 1 && found._tag === "Word") declares = declaring.has(plain(found) ?? "")
    }
    const [first] = words
    if (this.operator() === "(" && words.length === 1 && assignments.length + redirects.length === 0) {
      const name = first === undefined ? undefined : plain(first)
      if (name === undefined) throw this.error("a function's name without quotes and expansions", start)
      this.take("(")
      this.expect(")", "after a function's name")
      return this.functionBody(start, name)
    }
    if (this.ended === start) throw this.error("a command")
    return { _tag: "SimpleCommand", assignments, words, redirects, span: this.span(start, this.ended) }
  }

  /** An assignment at the place, or else the word that stands there. */
  private assignment(): Assignment | Word | undefined {
    const start = this.pos
    const name = this.name()
    let subscript: Subscript | undefined
    if (name !== "" && this.peek() === "[") subscript = this.subscript()
    this.continuations()
    const append = this.peek() === "+" && this.peek(1) === "="
    if (name !== "" && (append || this.peek() === "=")) {
      this.pos += append ? 2 : 1
      const value = this.peek() === "(" ? this.array() : this.value()
      return { _tag: "Assignment", name, subscript, append, value, span: this.span(start) }
    }
    if (subscript === undefined) {
      this.pos = start
      return this.word()
    }
    const rest = this.parts(modes.word, undefined, this.source.extglob)
    return this.wordOf([...this.asParts(name, subscript), ...rest], start)
  }

  private value(): Word {
    const start = this.pos
    return this.wordOf(tildes(this.parts(modes.word, undefined, this.source.extglob), true), start, false)
  }

  /** A name and a subscript that turned out to be the beginning of a word. */
  private asParts(name: string, subscript: Subscript): Array<WordPart> {
    const { start, end } = subscript.span
    const literal = (value: string, start: number, end: number): WordPart => ({
      _tag: "Literal",
      value,
      span: { start, end },
    })
    const inner = subscript._tag === "Index" ? subscript.word.parts : [literal(subscript.mark, start + 1, end - 1)]
    return [literal(`${name}[`, start - name.length, start + 1), ...inner, literal("]", end - 1, end)]
  }

  private array(): ArrayLiteral {
    const start = this.pos++
    const elements: Array<ArrayElement> = []
    for (this.newlines(); !this.take(")"); this.newlines()) {
      if (this.operator() === "" && this.peek() === "") throw this.unclosed(")", start)
      elements.push(this.element())
    }
    return { _tag: "ArrayLiteral", elements, span: this.span(start) }
  }

  private element(): ArrayElement {
    const start = this.pos
    let subscript: Subscript | undefined
    let append = false
    let value: Word
    if (this.peek() === "[") {
      subscript = this.subscript()
      append = this.peek() === "+" && this.peek(1) === "="
      if (append || this.peek() === "=") {
        this.pos += append ? 2 : 1
        value = this.value()
      } else {
        const rest = this.parts(modes.word, undefined, this.source.extglob)
        value = this.wordOf([...this.asParts("", subscript), ...rest], start)
        subscript = undefined
      }
    } else value = this.someWord('a word or ")"')
    return { _tag: "ArrayElement", subscript, append, value, span: this.span(start) }
  }
}
