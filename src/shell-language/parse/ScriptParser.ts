/**
 * Commands, pipelines and lists.
 *
 * Source: POSIX.1-2024 XCU 2.10 "Shell Grammar"; bash(1) "SHELL GRAMMAR".
 *
 * @module
 */
import { Compound, identifier, openers } from "./CompoundCommandParser.ts"
import { isRedirection } from "./Scanner.ts"
import type {
  AndOr,
  Assignment,
  Command,
  Coprocess,
  List,
  Pipeline,
  Redirect,
  Script,
  Word,
  WordPart,
} from "../SyntaxTree.ts"
import { plainText } from "./WordParser.ts"

const closers = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}"])
const declaring = new Set(["declare", "typeset", "local", "export", "readonly", "eval", "let", "alias"])
/** A word that may be an alias: unquoted, and a whole one. */
const aliasName = /^[^\s\\$`'"/&;|()<>=]+(?=[\s&;|()<>]|$)/

/** The whole language. */
export class Commands extends Compound {
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
    this.expandAlias()
    const operator = this.operator()
    return operator === "" ? this.peek() === "" || closers.has(this.reserved()) : /^(\)|;.)/.test(operator)
  }

  protected list(of: string, mayBeEmpty = false): List {
    this.newlines()
    const start = this.pos
    const statements = this.statements()
    if (statements.length === 0 && !mayBeEmpty) throw this.error(`a command ${of}`)
    return { _tag: "List", statements, span: this.span(start, statements.length === 0 ? start : this.ended) }
  }

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
    const found = this.text.startsWith(name, this.pos) && /^[ \t\n;&|()<>]?$/.test(this.peek(name.length))
    if (found) this.pos += name.length
    return found
  }

  /** Aliases whose text is being read, by how much of the whole text is left where theirs ends. */
  private readonly expanding: Array<{ readonly name: string; readonly left: number }> = []

  /** Where an alias was put that ends with a blank, and how much is left behind it: the next word may be one too. */
  private lastAlias: { readonly at: number; readonly left: number } | undefined

  /** Puts the text of an alias in the place of its name, again and again. */
  private expandAlias(): void {
    const { aliases } = this.source
    while (aliases !== undefined) {
      this.blanks()
      const name = aliasName.exec(this.text.slice(this.pos, this.pos + 128))?.[0] ?? ""
      while (this.text.length - this.pos <= (this.expanding.at(-1)?.left ?? -1)) this.expanding.pop()
      const value = name === "" || this.expanding.some((other) => other.name === name) ? undefined : aliases(name)
      if (value === undefined) return
      this.replace(this.pos, this.pos + name.length, value)
      const left = this.text.length - this.pos - value.length
      this.expanding.push({ name, left })
      this.blanks()
      if (/[ \t]$/.test(value)) this.lastAlias = { at: this.pos, left }
    }
  }

  private command(): Command {
    this.expandAlias()
    this.blanks()
    const start = this.pos
    const reserved = this.reserved()
    if (reserved === "function") return this.functionNamed(start)
    if (reserved === "coproc") return this.coprocess(start)
    if (closers.has(reserved) || reserved === "!" || reserved === "in") throw this.error("a command")
    const operator = this.operator()
    if (operator === "(" || openers.has(reserved)) return this.compound(start)
    if (operator !== "" && !isRedirection(operator)) throw this.error("a command")
    return this.simple(start)
  }

  private coprocess(start: number): Coprocess {
    if (this.source.coprocesses !== true) throw this.error("a command that is supported")
    this.takeReserved("coproc")
    const at = this.pos
    const name = this.operator() === "" ? plainText(this.someWord("a command")) ?? "" : ""
    const named = identifier.test(name) && !openers.has(name) && this.isCompound()
    if (!named) this.pos = at
    this.blanks()
    const from = this.pos
    const body = this.isCompound() ? this.compound(from) : this.simple(from)
    if (body._tag === "FunctionDefinition" || body._tag === "Coprocess") throw this.error("a command", from)
    return { _tag: "Coprocess", name: named ? name : "COPROC", body, span: this.span(start, this.ended) }
  }

  private isCompound(): boolean {
    return this.operator() === "(" || openers.has(this.reserved())
  }

  private simple(start: number): Command {
    const assignments: Array<Assignment> = []
    const words: Array<Word> = []
    const redirects: Array<Redirect> = []
    let declares = false
    let left = this.lastAlias?.at === start ? this.lastAlias.left : undefined
    this.ended = start
    for (;; this.ended = this.pos) {
      // Behind assignments the command's name stands here; behind an alias that ends with a blank, any word.
      if (words.length === 0 ? assignments.length > 0 : left !== undefined) {
        this.blanks()
        const at = this.pos
        if (words.length === 0 || this.text.length - at <= (left ?? 0)) {
          this.expandAlias()
          left = this.lastAlias !== undefined && this.lastAlias.at >= at ? this.lastAlias.left : undefined
        }
      }
      const redirect = this.redirect()
      if (redirect !== undefined) {
        redirects.push(redirect)
        continue
      }
      if (this.operator() !== "" || this.peek() === "") break
      const from = this.pos
      const found = words.length === 0 || declares ? this.assignment() : this.word()
      if (found === undefined) break
      this.checkElementName(from)
      if (found._tag === "Word") words.push(found)
      else if (words.length === 0) assignments.push(found)
      else {
        const { value, span } = found
        const isWord = value._tag === "Word"
        const head = { start: span.start, end: isWord ? value.span.start : span.end }
        const literal: WordPart = {
          _tag: "Literal",
          value: this.text.slice(from, isWord ? this.valueAt : this.pos),
          span: head,
        }
        const parts = [literal, ...(isWord ? value.parts : [])]
        words.push({ _tag: "Word", parts, braces: false, assignment: found, span })
      }
      if (words.length === 1 && found._tag === "Word") declares = declaring.has(plainText(found) ?? "")
    }
    const [first] = words
    if (this.operator() === "(" && words.length === 1 && assignments.length + redirects.length === 0) {
      const name = first === undefined ? undefined : plainText(first)
      if (name === undefined) throw this.error("a function's name without quotes and expansions", start)
      this.take("(")
      this.expect(")", "after a function's name")
      return this.functionBody(start, name)
    }
    if (this.ended === start) throw this.error("a command")
    return { _tag: "SimpleCommand", assignments, words, redirects, span: this.span(start, this.ended) }
  }
}
