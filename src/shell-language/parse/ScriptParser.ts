/**
 * Parses a script, whole or line by line, with a parser for each part of the grammar. Each parser holds the parsers
 * that it uses; recursive rules (a substitution within a word within a command) are passed as functions. Source:
 * POSIX.1-2024 XCU 2.10 "Shell Grammar"; bash(1) "SHELL GRAMMAR".
 */
import { AliasExpander } from "./AliasExpander.ts"
import { ArithmeticTextParser } from "./ArithmeticTextParser.ts"
import { AssignmentParser } from "./AssignmentParser.ts"
import {
  type CompoundCommandParser,
  compoundOpeners,
  identifierPattern,
  makeCompoundCommandParser,
} from "./CompoundCommandParser.ts"
import { makeConditionParser } from "./makeConditionParser.ts"
import { makeExpansionParser } from "./makeExpansionParser.ts"
import { makeParameterParser } from "./makeParameterParser.ts"
import { RedirectionParser } from "./RedirectionParser.ts"
import { isRedirectionOperator, type ParserState, Scanner } from "./Scanner.ts"
import * as modes from "./textModes.ts"
import type { AndOr, Command, Coprocess, List, Pipeline, Script } from "../SyntaxTree.ts"
import { makeSimpleCommandParser } from "./makeSimpleCommandParser.ts"
import { plainText, WordParser } from "./WordParser.ts"

const closers = new Set(["then", "elif", "else", "fi", "do", "done", "esac", "}"])

/** Parses a text of the shell language: a script, or a text within one. */
export class ScriptParser {
  readonly scanner: Scanner
  private readonly aliases: AliasExpander
  private readonly words: WordParser
  private readonly redirections: RedirectionParser
  private readonly compounds: CompoundCommandParser
  private readonly parseSimple: ReturnType<typeof makeSimpleCommandParser>
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
    const parseBraced = makeParameterParser(scanner, words, arithmetic)
    const expansions = makeExpansionParser(scanner, arithmetic, parseBraced, {
      substituted,
      script: (text, place) => within(text, place).script(),
    })
    const redirections = new RedirectionParser(
      scanner,
      words,
      (text, place) => within(text, place).words.parts(modes.hereDocument),
    )
    const parseCondition = makeConditionParser(scanner, words, redirections)
    this.scanner = scanner
    this.aliases = new AliasExpander(scanner)
    this.words = words
    this.redirections = redirections
    this.compounds = makeCompoundCommandParser(
      scanner,
      words,
      arithmetic,
      redirections,
      parseCondition,
      (of, mayBeEmpty) => this.list(of, mayBeEmpty),
    )
    const assignments = new AssignmentParser(scanner, words, arithmetic, redirections)
    this.parseSimple = makeSimpleCommandParser(
      scanner,
      this.aliases,
      words,
      redirections,
      assignments,
      this.compounds.functionBody,
    )
  }

  script(): Script {
    const { scanner } = this
    const statements = this.statements()
    if (!scanner.atEnd()) throw scanner.error("a command")
    return { _tag: "Script", statements, span: scanner.span(0) }
  }

  /** Parses the next line that has statements, with its here-documents; `undefined` at the end. */
  line(): Script | undefined {
    const { scanner } = this
    this.redirections.skipNewlines()
    if (scanner.peek() === "") return undefined
    const start = scanner.position
    const statements: Array<AndOr> = []
    do {
      statements.push(this.andOr())
    } while (this.separated && !this.redirections.consumeNewline() && scanner.peek() !== "")
    const span = scanner.span(start)
    if (!this.separated && !this.redirections.consumeNewline() && scanner.peek() !== "") {
      throw scanner.error("the end of the command")
    }
    return { _tag: "Script", statements, span }
  }

  private substituted(opened: number): Script {
    const { scanner } = this
    scanner.enter()
    const start = scanner.position
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
    for (this.redirections.skipNewlines(); !this.closing(); this.redirections.skipNewlines()) {
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
      ? this.scanner.peek() === "" || closers.has(this.scanner.reservedWord())
      : /^(\)|;.)/.test(operator)
  }

  private list(of: string, mayBeEmpty = false): List {
    this.redirections.skipNewlines()
    const start = this.scanner.position
    const statements = this.statements()
    if (statements.length === 0 && !mayBeEmpty) throw this.scanner.error(`a command ${of}`)
    return {
      _tag: "List",
      statements,
      span: this.scanner.span(start, statements.length === 0 ? start : this.scanner.ended),
    }
  }

  private andOr(): AndOr {
    const { scanner } = this
    scanner.skipBlanks()
    const start = scanner.position
    const pipelines = [this.pipeline()]
    const operators: Array<"&&" | "||"> = []
    for (;;) {
      const operator = scanner.operator()
      if (operator !== "&&" && operator !== "||") break
      scanner.consume(operator)
      this.redirections.skipNewlines()
      operators.push(operator)
      pipelines.push(this.pipeline())
    }
    const span = scanner.span(start, scanner.ended)
    const background = scanner.consume("&")
    this.separated = background || scanner.consume(";")
    if (this.separated) scanner.ended = scanner.position
    return { _tag: "AndOr", pipelines, operators, background, span: background ? scanner.span(start) : span }
  }

  private pipeline(): Pipeline {
    const { scanner } = this
    scanner.skipBlanks()
    const start = scanner.position
    let negated = false
    let time: Pipeline["time"]
    for (;;) {
      if (scanner.consumeReserved("!")) negated = !negated
      else if (scanner.consumeReserved("time")) {
        time = this.option("-p") ? "posix" : time ?? "default"
        this.option("--")
      } else break
      scanner.ended = scanner.position
    }
    const commands: Array<Command> = []
    const pipes: Array<"|" | "|&"> = []
    // `!` and `time` may stand alone.
    const operator = scanner.operator()
    const alone = scanner.position > start &&
      (/^[;\n]$/.test(operator) || (operator === "" && scanner.peek() === ""))
    while (!alone) {
      commands.push(this.command())
      const pipe = scanner.operator()
      if (pipe !== "|" && pipe !== "|&") break
      scanner.consume(pipe)
      this.redirections.skipNewlines()
      pipes.push(pipe)
    }
    return { _tag: "Pipeline", negated, time, commands, pipes, span: scanner.span(start, scanner.ended) }
  }

  /** Consumes an option of `time`. */
  private option(name: string): boolean {
    const { scanner } = this
    scanner.skipBlanks()
    const found = scanner.text.startsWith(name, scanner.position) &&
      /^[ \t\n;&|()<>]?$/.test(scanner.peek(name.length))
    if (found) scanner.position += name.length
    return found
  }

  private command(): Command {
    const { scanner } = this
    // A command costs as much as a few words.
    scanner.countSteps(512)
    this.aliases.expand()
    scanner.skipBlanks()
    const start = scanner.position
    const reserved = scanner.reservedWord()
    if (reserved === "function") return this.compounds.namedFunction(start)
    if (reserved === "coproc") return this.coprocess(start)
    if (closers.has(reserved) || reserved === "!" || reserved === "in") throw scanner.error("a command")
    const operator = scanner.operator()
    if (operator === "(" || compoundOpeners.has(reserved)) return this.compounds.compound(start)
    if (operator !== "" && !isRedirectionOperator(operator)) throw scanner.error("a command")
    return this.parseSimple(start)
  }

  private coprocess(start: number): Coprocess {
    const { scanner } = this
    if (scanner.state.coprocesses !== true) throw scanner.error("a command that is supported")
    scanner.consumeReserved("coproc")
    const at = scanner.position
    const name = scanner.operator() === "" ? plainText(this.words.requireWord("a command")) ?? "" : ""
    const named = identifierPattern.test(name) && !compoundOpeners.has(name) && this.isCompound()
    if (!named) scanner.position = at
    scanner.skipBlanks()
    const from = scanner.position
    const body = this.isCompound() ? this.compounds.compound(from) : this.parseSimple(from)
    if (body._tag === "FunctionDefinition") throw scanner.error("a command", from)
    return {
      _tag: "Coprocess",
      name: named ? name : "COPROC",
      body,
      span: scanner.span(start, scanner.ended),
    }
  }

  private isCompound(): boolean {
    return this.scanner.operator() === "(" || compoundOpeners.has(this.scanner.reservedWord())
  }
}
