/**
 * Parses scripts: lists, pipelines and simple commands, with a parser for each other part of the grammar. Each of these
 * holds the parsers that it uses; the rules that recur (a substitution within a word within a command) are given to them
 * as functions.
 *
 * Source: POSIX.1-2024 XCU 2.10 "Shell Grammar"; bash(1) "SHELL GRAMMAR".
 *
 * @module
 */
import { AliasExpander } from "./AliasExpander.ts"
import { ArithmeticTextParser } from "./ArithmeticTextParser.ts"
import { AssignmentParser } from "./AssignmentParser.ts"
import { CompoundCommandParser, identifier, openers } from "./CompoundCommandParser.ts"
import { ConditionParser } from "./ConditionParser.ts"
import { ExpansionParser } from "./ExpansionParser.ts"
import { ParameterParser } from "./ParameterParser.ts"
import { RedirectionParser } from "./RedirectionParser.ts"
import { isRedirectionOperator, type ParserState, Scanner } from "./Scanner.ts"
import * as modes from "./textModes.ts"
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
import { plainText, WordParser } from "./WordParser.ts"

const closers = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}"])
const declaring = new Set(["declare", "typeset", "local", "export", "readonly", "eval", "let", "alias"])

/** Parses a text of the shell language: a script, or a text within one. */
export class ScriptParser {
  readonly scanner: Scanner
  private readonly aliases: AliasExpander
  private readonly words: WordParser
  private readonly redirections: RedirectionParser
  private readonly assignments: AssignmentParser
  private readonly compounds: CompoundCommandParser
  /** Whether the last statement ended with `;` or `&`. */
  private separated = false

  /** `place` maps offsets in the text to offsets in the whole script. */
  constructor(state: ParserState, text: string, place: (offset: number) => number) {
    const scanner = new Scanner(state, text, place)
    const substituted = (opened: number): Script => this.substituted(opened)
    const within = (text: string, place: (offset: number) => number) => new ScriptParser(state, text, place)
    const words: WordParser = new WordParser(scanner, {
      dollar: (mode) => expansions.dollar(mode),
      backquoted: (mode) => expansions.backquoted(mode),
      substituted,
    })
    const arithmetic = new ArithmeticTextParser(scanner, words)
    const parameters = new ParameterParser(scanner, words, arithmetic)
    const expansions = new ExpansionParser(scanner, arithmetic, parameters, {
      substituted,
      script: (text, place) => within(text, place).script(),
    })
    const redirections = new RedirectionParser(
      scanner,
      words,
      (text, place) => within(text, place).words.parts(modes.hereDocument),
    )
    const conditions = new ConditionParser(scanner, words, redirections)
    this.scanner = scanner
    this.aliases = new AliasExpander(scanner)
    this.words = words
    this.redirections = redirections
    this.assignments = new AssignmentParser(scanner, words, arithmetic, redirections)
    this.compounds = new CompoundCommandParser(
      scanner,
      words,
      arithmetic,
      redirections,
      conditions,
      (of, mayBeEmpty) => this.list(of, mayBeEmpty),
    )
  }

  /** Parses the whole text. */
  script(): Script {
    const { scanner } = this
    const statements = this.statements()
    if (scanner.operator() !== "" || scanner.peek() !== "") throw scanner.error("a command")
    return { _tag: "Script", statements, span: scanner.span(0) }
  }

  /** Parses the next line that has statements, with its here-documents; `undefined` at the end. */
  line(): Script | undefined {
    const { scanner } = this
    this.redirections.newlines()
    if (scanner.peek() === "") return undefined
    const start = scanner.pos
    const statements: Array<AndOr> = []
    do {
      statements.push(this.andOr())
    } while (this.separated && !this.redirections.newline() && scanner.peek() !== "")
    const span = scanner.span(start)
    if (!this.separated && !this.redirections.newline() && scanner.peek() !== "") {
      throw scanner.error("the end of the command")
    }
    return { _tag: "Script", statements, span }
  }

  private substituted(opened: number): Script {
    const { scanner } = this
    scanner.enter()
    const start = scanner.pos
    const pending = this.redirections.pending
    this.redirections.pending = []
    const statements = this.statements()
    const span = scanner.span(start)
    if (scanner.atEnd()) throw scanner.unclosed(")", opened)
    scanner.expect(")", "or a command")
    this.redirections.pending = pending
    scanner.leave()
    return { _tag: "Script", statements, span }
  }

  private statements(): Array<AndOr> {
    const statements: Array<AndOr> = []
    for (this.redirections.newlines(); !this.closing(); this.redirections.newlines()) {
      statements.push(this.andOr())
      if (!this.separated && this.scanner.operator() !== "\n") break
    }
    return statements
  }

  /** Whether the list ends here, since no command can begin. */
  private closing(): boolean {
    this.aliases.expand()
    const operator = this.scanner.operator()
    return operator === ""
      ? this.scanner.peek() === "" || closers.has(this.scanner.reserved())
      : /^(\)|;.)/.test(operator)
  }

  private list(of: string, mayBeEmpty = false): List {
    this.redirections.newlines()
    const start = this.scanner.pos
    const statements = this.statements()
    if (statements.length === 0 && !mayBeEmpty) throw this.scanner.error(`a command ${of}`)
    return {
      _tag: "List",
      statements,
      span: this.scanner.span(start, statements.length === 0 ? start : this.compounds.ended),
    }
  }

  private andOr(): AndOr {
    const { scanner } = this
    scanner.blanks()
    const start = scanner.pos
    const pipelines = [this.pipeline()]
    const operators: Array<"&&" | "||"> = []
    for (;;) {
      const operator = scanner.operator()
      if (operator !== "&&" && operator !== "||") break
      scanner.take(operator)
      this.redirections.newlines()
      operators.push(operator)
      pipelines.push(this.pipeline())
    }
    const span = scanner.span(start, this.compounds.ended)
    const background = scanner.take("&")
    this.separated = background || scanner.take(";")
    if (this.separated) this.compounds.ended = scanner.pos
    return { _tag: "AndOr", pipelines, operators, background, span: background ? scanner.span(start) : span }
  }

  private pipeline(): Pipeline {
    const { scanner } = this
    scanner.blanks()
    const start = scanner.pos
    let negated = false
    let time: Pipeline["time"]
    for (;;) {
      if (scanner.takeReserved("!")) negated = !negated
      else if (scanner.takeReserved("time")) {
        time = this.option("-p") ? "posix" : time ?? "default"
        this.option("--")
      } else break
      this.compounds.ended = scanner.pos
    }
    const commands: Array<Command> = []
    const pipes: Array<"|" | "|&"> = []
    // `!` and `time` may stand alone.
    const operator = scanner.operator()
    const alone = scanner.pos > start &&
      (/^[;\n]$/.test(operator) || (operator === "" && scanner.peek() === ""))
    while (!alone) {
      commands.push(this.command())
      const pipe = scanner.operator()
      if (pipe !== "|" && pipe !== "|&") break
      scanner.take(pipe)
      this.redirections.newlines()
      pipes.push(pipe)
    }
    return { _tag: "Pipeline", negated, time, commands, pipes, span: scanner.span(start, this.compounds.ended) }
  }

  /** Consumes an option of `time`. */
  private option(name: string): boolean {
    const { scanner } = this
    scanner.blanks()
    const found = scanner.text.startsWith(name, scanner.pos) &&
      /^[ \t\n;&|()<>]?$/.test(scanner.peek(name.length))
    if (found) scanner.pos += name.length
    return found
  }

  private command(): Command {
    const { scanner } = this
    this.aliases.expand()
    scanner.blanks()
    const start = scanner.pos
    const reserved = scanner.reserved()
    if (reserved === "function") return this.compounds.functionNamed(start)
    if (reserved === "coproc") return this.coprocess(start)
    if (closers.has(reserved) || reserved === "!" || reserved === "in") throw scanner.error("a command")
    const operator = scanner.operator()
    if (operator === "(" || openers.has(reserved)) return this.compounds.compound(start)
    if (operator !== "" && !isRedirectionOperator(operator)) throw scanner.error("a command")
    return this.simple(start)
  }

  private coprocess(start: number): Coprocess {
    const { scanner } = this
    if (scanner.state.coprocesses !== true) throw scanner.error("a command that is supported")
    scanner.takeReserved("coproc")
    const at = scanner.pos
    const name = scanner.operator() === "" ? plainText(this.words.someWord("a command")) ?? "" : ""
    const named = identifier.test(name) && !openers.has(name) && this.isCompound()
    if (!named) scanner.pos = at
    scanner.blanks()
    const from = scanner.pos
    const body = this.isCompound() ? this.compounds.compound(from) : this.simple(from)
    if (body._tag === "FunctionDefinition" || body._tag === "Coprocess") throw scanner.error("a command", from)
    return {
      _tag: "Coprocess",
      name: named ? name : "COPROC",
      body,
      span: scanner.span(start, this.compounds.ended),
    }
  }

  private isCompound(): boolean {
    return this.scanner.operator() === "(" || openers.has(this.scanner.reserved())
  }

  private simple(start: number): Command {
    const { scanner } = this
    const assignments: Array<Assignment> = []
    const words: Array<Word> = []
    const redirects: Array<Redirect> = []
    let declares = false
    let left = this.aliases.last?.at === start ? this.aliases.last.left : undefined
    this.compounds.ended = start
    for (;; this.compounds.ended = scanner.pos) {
      // The name of the command after assignments, or any word after an alias that ends with a blank, may be an alias.
      if (words.length === 0 ? assignments.length > 0 : left !== undefined) {
        scanner.blanks()
        const at = scanner.pos
        if (words.length === 0 || scanner.text.length - at <= (left ?? 0)) {
          this.aliases.expand()
          left = this.aliases.last !== undefined && this.aliases.last.at >= at ? this.aliases.last.left : undefined
        }
      }
      const redirect = this.redirections.redirect()
      if (redirect !== undefined) {
        redirects.push(redirect)
        continue
      }
      if (scanner.operator() !== "" || scanner.peek() === "") break
      const from = scanner.pos
      const found = words.length === 0 || declares ? this.assignments.assignment() : this.words.word()
      if (found === undefined) break
      this.redirections.checkElementName(from)
      if (found._tag === "Word") words.push(found)
      else if (words.length === 0) assignments.push(found)
      else {
        const { value, span } = found
        const isWord = value._tag === "Word"
        const head = { start: span.start, end: isWord ? value.span.start : span.end }
        const literal: WordPart = {
          _tag: "Literal",
          value: scanner.text.slice(from, isWord ? this.assignments.valueAt : scanner.pos),
          span: head,
        }
        const parts = [literal, ...(isWord ? value.parts : [])]
        words.push({ _tag: "Word", parts, braces: false, assignment: found, span })
      }
      if (words.length === 1 && found._tag === "Word") declares = declaring.has(plainText(found) ?? "")
    }
    const [first] = words
    if (scanner.operator() === "(" && words.length === 1 && assignments.length + redirects.length === 0) {
      const name = first === undefined ? undefined : plainText(first)
      if (name === undefined) throw scanner.error("a function's name without quotes and expansions", start)
      scanner.take("(")
      scanner.expect(")", "after a function's name")
      return this.compounds.functionBody(start, name)
    }
    if (this.compounds.ended === start) throw scanner.error("a command")
    return {
      _tag: "SimpleCommand",
      assignments,
      words,
      redirects,
      span: scanner.span(start, this.compounds.ended),
    }
  }
}
