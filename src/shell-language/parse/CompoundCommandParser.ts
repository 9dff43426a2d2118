/**
 * Parses compound commands and function definitions.
 *
 * Source: POSIX.1-2024 XCU 2.9.4; bash(1) "Compound Commands".
 *
 * @module
 */
import type { ArithmeticTextParser } from "./ArithmeticTextParser.ts"
import type { ConditionParser } from "./ConditionParser.ts"
import type { RedirectionParser } from "./RedirectionParser.ts"
import type { Scanner } from "./Scanner.ts"
import type * as Tree from "../SyntaxTree.ts"
import * as modes from "./textModes.ts"
import { plainText, type WordParser } from "./WordParser.ts"

type BodyOf<T> = T extends Tree.CompoundCommand ? Omit<T, "redirects" | "span"> : never
type Body = BodyOf<Tree.CompoundCommand>

/** Parses statements, at least one unless the list may be empty. `of` names their context in an error. */
export type ListRule = (of: string, mayBeEmpty?: boolean) => Tree.List

/** The reserved words that begin a compound command. */
export const compoundOpeners: ReadonlySet<string> = new Set([
  "if",
  "while",
  "until",
  "for",
  "select",
  "case",
  "{",
  "[[",
])
/** Matches a text that is a name. */
export const identifierPattern: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Parses compound commands. The lists within them are parsed by the given rule. */
export class CompoundCommandParser {
  private readonly scanner: Scanner
  private readonly words: WordParser
  private readonly arithmetic: ArithmeticTextParser
  private readonly redirections: RedirectionParser
  private readonly conditions: ConditionParser
  private readonly list: ListRule

  /** The end of the last statement. */
  ended = 0

  constructor(
    scanner: Scanner,
    words: WordParser,
    arithmetic: ArithmeticTextParser,
    redirections: RedirectionParser,
    conditions: ConditionParser,
    list: ListRule,
  ) {
    this.scanner = scanner
    this.words = words
    this.arithmetic = arithmetic
    this.redirections = redirections
    this.conditions = conditions
    this.list = list
  }

  /** Parses a compound command and its redirections. */
  compound(start: number): Tree.CompoundCommand {
    const { scanner } = this
    scanner.enter()
    const body = this.compoundBody()
    scanner.leave()
    this.ended = scanner.position
    const redirects = this.redirections.redirects()
    if (redirects.length > 0) this.ended = scanner.position
    return { ...body, redirects, span: scanner.span(start, this.ended) }
  }

  private compoundBody(): Body {
    const { scanner } = this
    if (scanner.operator() === "(") return this.parenthesized()
    const opened = scanner.position
    const reserved = scanner.reservedWord()
    scanner.consumeReserved(reserved)
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
        return scanner.operator() === "(" ? this.forArithmetic(opened) : this.forBody("For", opened)
      case "select":
        return this.forBody("Select", opened)
      case "case":
        return this.caseBody(opened)
      case "[[": {
        const expression = this.conditions.condition()
        this.close("]]", opened)
        return { _tag: "Conditional", expression }
      }
      default:
        throw scanner.error("a compound command", opened)
    }
  }

  /** Consumes a closing word, or fails because it is missing. */
  private close(word: string, opened: number): void {
    const { scanner } = this
    // A newline before `]]` belongs to the condition, which does not accept every newline.
    if (word !== "]]") this.redirections.skipNewlines()
    if (scanner.consumeReserved(word)) return
    throw scanner.atEnd() ? scanner.unclosed(word, opened) : scanner.error(`"${word}"`)
  }

  private parenthesized(): Body {
    const { scanner } = this
    const opened = scanner.position
    const text = this.arithmetic.arithmetic(opened, "((")
    if (text !== undefined) return { _tag: "ArithmeticCommand", text }
    scanner.consume("(")
    const body = this.list('after "("')
    if (scanner.atEnd()) throw scanner.unclosed(")", opened)
    scanner.expect(")", "or a command")
    return { _tag: "Subshell", body }
  }

  private ifBody(opened: number): Body {
    const { scanner } = this
    const branches: Array<Tree.IfBranch> = []
    let start = opened
    do {
      const condition = this.list('after "if"')
      this.close("then", opened)
      const body = this.list('after "then"')
      branches.push({ _tag: "IfBranch", condition, body, span: scanner.span(start, this.ended) })
      scanner.skipBlanks()
      start = scanner.position
    } while (scanner.consumeReserved("elif"))
    const otherwise = scanner.consumeReserved("else") ? this.list('after "else"') : undefined
    this.close("fi", opened)
    return { _tag: "If", branches, otherwise }
  }

  private doBody(opened: number, bracesToo = false): Tree.List {
    this.redirections.skipNewlines()
    const brace = bracesToo && this.scanner.consumeReserved("{")
    if (!brace) this.close("do", opened)
    const body = this.list(brace ? 'after "{"' : 'after "do"')
    this.close(brace ? "}" : "done", opened)
    return body
  }

  private forBody(_tag: "For" | "Select", opened: number): Body {
    const { scanner } = this
    const before = scanner.position
    const name = plainText(this.words.requireWord("a name"))
    if (name === undefined || !identifierPattern.test(name)) throw scanner.error("a name", before)
    let words: Array<Tree.Word> | undefined
    let separated = scanner.consume(";")
    const lines = scanner.operator() === "\n"
    separated ||= lines
    this.redirections.skipNewlines()
    if ((!separated || lines) && scanner.consumeReserved("in")) {
      words = []
      for (let word = this.words.word(); word !== undefined; word = this.words.word()) words.push(word)
      separated = scanner.consume(";") || scanner.operator() === "\n"
      if (!separated) throw scanner.error('";" or a newline after the words')
    }
    return { _tag, name, words, body: this.doBody(opened, separated) }
  }

  private forArithmetic(opened: number): Body {
    const { scanner } = this
    scanner.expect("(", "")
    if (scanner.peek() !== "(") throw scanner.error("a name")
    const open = scanner.position++
    const clause = (end: string): Tree.ArithmeticText | undefined => {
      const text = this.arithmetic.arithmeticText(modes.arithmeticClause)
      if (scanner.peek() === "") throw scanner.unclosed("))", open)
      if (!scanner.text.startsWith(end, scanner.position)) throw scanner.error(`"${end}"`)
      scanner.position += end.length
      const blank = text.parts.every((part) => part._tag === "Literal" && part.value.trim() === "")
      return blank ? undefined : text
    }
    const first = clause(";")
    const condition = clause(";")
    const after = clause("))")
    scanner.consume(";")
    return { _tag: "ForArithmetic", first, condition, after, body: this.doBody(opened, true) }
  }

  private caseBody(opened: number): Body {
    const { scanner } = this
    const word = this.words.requireWord("a word")
    this.close("in", opened)
    const clauses: Array<Tree.CaseClause> = []
    for (this.redirections.skipNewlines(); !scanner.consumeReserved("esac"); this.redirections.skipNewlines()) {
      if (scanner.atEnd()) throw scanner.unclosed("esac", opened)
      const start = scanner.position
      scanner.consume("(")
      const patterns: Array<Tree.Word> = []
      do {
        patterns.push(this.words.requireWord("a pattern"))
      } while (scanner.consume("|"))
      scanner.expect(")", "after the pattern")
      const body = this.list("", true)
      const operator = scanner.operator()
      const terminator = operator === ";&" || operator === ";;&" ? operator : ";;"
      if (!scanner.consume(terminator) && scanner.reservedWord() !== "esac") {
        throw scanner.peek() === "" && operator === ""
          ? scanner.unclosed("esac", opened)
          : scanner.error('";;" or "esac"')
      }
      clauses.push({ _tag: "CaseClause", patterns, body, terminator, span: scanner.span(start) })
    }
    return { _tag: "Case", word, clauses }
  }

  functionNamed(start: number): Tree.FunctionDefinition {
    const { scanner } = this
    scanner.consumeReserved("function")
    const before = scanner.position
    const name = plainText(this.words.requireWord("a name"))
    if (name === undefined) throw scanner.error("a name without quotes and expansions", before)
    if (scanner.operator() === "(") {
      const at = scanner.position
      // `function f (a)` has a subshell as its body.
      scanner.consume("(")
      if (!scanner.consume(")")) scanner.position = at
    }
    return this.functionBody(start, name)
  }

  functionBody(start: number, name: string): Tree.FunctionDefinition {
    const { scanner } = this
    this.redirections.skipNewlines()
    const at = scanner.position
    if (scanner.operator() !== "(" && !compoundOpeners.has(scanner.reservedWord())) {
      throw scanner.error("a compound command")
    }
    const body = this.compound(at)
    return { _tag: "FunctionDefinition", name, body, span: scanner.span(start, this.ended) }
  }
}
