/**
 * Compound commands, and functions, whose bodies they are.
 *
 * Source: POSIX.1-2024 XCU 2.9.4; bash(1) "Compound Commands".
 *
 * @module
 */
import { Assignments } from "./AssignmentParser.ts"
import type {
  ArithmeticText,
  CaseClause,
  CompoundCommand,
  FunctionDefinition,
  IfBranch,
  List,
  Word,
} from "../SyntaxTree.ts"
import { modes, plainText } from "./WordParser.ts"

type WithoutRedirects<T> = T extends CompoundCommand ? Omit<T, "redirects" | "span"> : never
type Body = WithoutRedirects<CompoundCommand>

/** The reserved words that begin one. */
export const openers: ReadonlySet<string> = new Set(["if", "while", "until", "for", "select", "case", "{", "[["])
export const identifier: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Compound commands; the lists within them are read by what knows lists. */
export abstract class Compound extends Assignments {
  /** Where the last statement ended. */
  protected ended = 0
  /** Statements, at least one unless it may be empty. `of` says in an error what they belong to. */
  protected abstract list(of: string, mayBeEmpty?: boolean): List

  /** A compound command and its redirections. */
  protected compound(start: number): CompoundCommand {
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
    // A newline before `]]` belongs to the condition, which does not take every one.
    if (word !== "]]") this.newlines()
    if (this.takeReserved(word)) return
    throw this.operator() === "" && this.peek() === "" ? this.unclosed(word, opened) : this.error(`"${word}"`)
  }

  private parenthesized(): Body {
    const opened = this.pos
    const text = this.arithmetic(opened, "((")
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
    const name = plainText(this.someWord("a name"))
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

  protected functionNamed(start: number): FunctionDefinition {
    this.takeReserved("function")
    const before = this.pos
    const name = plainText(this.someWord("a name"))
    if (name === undefined) throw this.error("a name without quotes and expansions", before)
    if (this.operator() === "(") {
      const at = this.pos
      // `function f (a)` has a subshell as its body.
      this.take("(")
      if (!this.take(")")) this.pos = at
    }
    return this.functionBody(start, name)
  }

  protected functionBody(start: number, name: string): FunctionDefinition {
    this.newlines()
    const at = this.pos
    if (this.operator() !== "(" && !openers.has(this.reserved())) throw this.error("a compound command")
    const body = this.compound(at)
    return { _tag: "FunctionDefinition", name, body, span: this.span(start, this.ended) }
  }
}
